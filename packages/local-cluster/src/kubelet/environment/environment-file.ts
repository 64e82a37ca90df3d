import { ConfigProblem } from '../configs/config-problem.ts';

/**
 * The value of `key` in a file of `NAME='value'` lines, as `fileKeyRef` reads it. Values are in single quotes, may
 * span lines, and are taken literally. Returns '' when the key is missing. Throws for a syntax error before the key.
 */
export function environmentFileValue(text: string, key: string): string {
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const line = (lines[at] ?? '').replace(/^[ \t]+/, '');
    if (line === '' || line.startsWith('#')) continue;
    const equals = line.indexOf('=');
    if (equals < 0) throw fault(at, "missing '='");
    const name = line.slice(0, equals);
    if (name.trim() === '') throw fault(at, 'empty variable name');
    if (/[ \t]$/.test(name)) throw fault(at, "whitespace before '=' is not allowed");
    const rest = line.slice(equals + 1);
    if (/^[ \t]/.test(rest)) {
      if (name === key) return '';
      continue;
    }
    if (!rest.startsWith("'")) throw fault(at, 'value must be enclosed in single quotes');
    const start = at;
    const value: string[] = [];
    let last = rest.slice(1);
    while (!last.includes("'")) {
      value.push(last);
      at++;
      if (at >= lines.length) throw fault(start, 'unclosed single quote');
      last = lines[at] ?? '';
    }
    const end = last.indexOf("'");
    const after = last.slice(end + 1).replace(/^[ \t]+/, '');
    if (after !== '' && !after.startsWith('#')) throw fault(at, 'unexpected content after closing quote');
    if (name === key) return [...value, last.slice(0, end)].join('\n');
  }
  return '';
}

/** Names the line number but never its content, which may be secret. */
function fault(index: number, what: string): ConfigProblem {
  return new ConfigProblem(`invalid environment variable format at line ${index + 1}: ${what}`);
}
