import { badRequest } from '../errors/status-error.ts';

export interface FieldRequirement {
  field: string;
  equals: boolean;
  value: string;
}

/** Parses `metadata.name=foo,status.phase!=Running`. A backslash escapes `,`, `=` and `\`. Throws a StatusError. */
export function parseFieldSelector(text: string): FieldRequirement[] {
  const requirements: FieldRequirement[] = [];
  for (const part of split(text)) {
    if (part === '') continue;
    const match = /^((?:[^=!\\]|\\.|!(?!=))*?)(==|!=|=)([\s\S]*)$/.exec(part);
    const value = match === null ? undefined : unescaped(match[3] ?? '');
    if (match === null || value === undefined)
      throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    requirements.push({ field: match[1] ?? '', equals: match[2] !== '!=', value });
  }
  return requirements;
}

function split(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ',') {
      parts.push(part);
      part = '';
    } else if (text[at] === '\\') {
      part += text.slice(at, at + 2);
      at++;
    } else part += text[at];
  }
  return [...parts, part];
}

function unescaped(text: string): string | undefined {
  if (/(^|[^\\])(\\\\)*=/.test(text) || /(^|[^\\])(\\\\)*\\([^\\,=]|$)/.test(text)) return undefined;
  return text.replace(/\\([\\,=])/g, '$1');
}
