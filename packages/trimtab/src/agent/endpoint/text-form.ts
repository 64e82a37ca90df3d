import { type Dictionary, encodeEntries, reserved } from './dictionary.ts';

/** Values that do not fit into a line, or that programs would trim, unquote or take for a comment. */
const needsQuotes = /[\p{Cc}\u2028\u2029]|^[\s"'#]|\s$/u;
/** JSON leaves these as they are, although some programs end a line there. */
const lineEnds = /[\u007f-\u009f\u2028\u2029]/g;

/**
 * The text/plain form: one `key=value` line for each entry, in the order of the JSON form. A value that begins with a
 * double quote is a JSON string, with `\n` for a line break; every other value is the text up to the end of the line.
 * Lists are separated by commas, which keys do not contain.
 *
 *     configmap/foo=1.0.3
 *     log.level=debug
 *     motd="Welcome\nto \"foo\"\n"
 *     logo.png=iVBORw0KGgo=
 *     trimtab.dev/base64=logo.png
 */
export function toText({ versions, entries, collisions }: Dictionary): string {
  const { values, base64 } = encodeEntries(entries);
  const lines = [...versions, ...values].map(([key, value]) => `${key}=${lineValue(value)}\n`);
  if (base64.length > 0) lines.push(`${reserved.base64}=${base64.join(',')}\n`);
  if (collisions.length > 0)
    lines.push(`${reserved.collisions}=${collisions.map(({ key }) => key).join(',')}\n`);
  return lines.join('');
}

function lineValue(value: string): string {
  if (!needsQuotes.test(value)) return value;
  return JSON.stringify(value).replace(lineEnds, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
