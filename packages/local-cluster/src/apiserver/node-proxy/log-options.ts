import { type FieldError, forbiddenField, invalid, invalidObject } from '../errors/field-error.ts';
import { badRequest } from '../errors/status-error.ts';

const kind = { group: '', kind: 'PodLogOptions' };
const whole = /^[+-]?\d+$/;

/** Checks what a request for logs asks for, in the API server's own words. Throws a StatusError. */
export function checkLogOptions(query: URLSearchParams, pod: string): void {
  const number = (name: string) => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!whole.test(text))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  };
  const errors: FieldError[] = [];
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(number);
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && query.has('sinceTime'))
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  const sinceTime = query.get('sinceTime');
  if (sinceTime !== null && Number.isNaN(Date.parse(sinceTime)))
    throw badRequest(`sinceTime: ${JSON.stringify(sinceTime)} is no time in the form of RFC 3339`);
  if (errors.length > 0) throw invalidObject(kind, pod, errors);
}
