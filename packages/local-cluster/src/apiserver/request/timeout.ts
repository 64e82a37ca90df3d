import { badRequest } from '../errors/status-error.ts';
import type { RequestInfo } from './request-info.ts';

const units = ['ns', 'us', 'µs', 'μs', 'ms', 's', 'm', 'h'];
const longRunning = ['attach', 'exec', 'log', 'portforward', 'proxy'];

/** Refuses a `timeout` that is not a duration. Long-running requests ignore the parameter. */
export function checkTimeout(query: URLSearchParams, info: RequestInfo | undefined): void {
  const text = query.get('timeout') ?? '';
  if (text === '' || info?.verb === 'watch' || longRunning.includes(info?.subresource ?? '')) return;
  const problem = durationProblem(text);
  if (problem !== undefined)
    throw badRequest(`invalid timeout specified in the request URL - time: ${problem}`);
}

/** Go's message for a text that is not a duration. */
function durationProblem(text: string): string | undefined {
  const whole = JSON.stringify(text);
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return undefined;
  if (rest === '') return `invalid duration ${whole}`;
  while (rest !== '') {
    const [part, unit = ''] = /^(?:\d+\.?\d*|\.\d+)([^\d.]*)/.exec(rest) ?? [];
    if (part === undefined) return `invalid duration ${whole}`;
    if (unit === '') return `missing unit in duration ${whole}`;
    if (!units.includes(unit)) return `unknown unit ${JSON.stringify(unit)} in duration ${whole}`;
    rest = rest.slice(part.length);
  }
  return undefined;
}
