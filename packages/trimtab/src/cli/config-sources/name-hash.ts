import { createHash } from 'node:crypto';
import type { ConfigBody } from '../../api/config-body.ts';

/** The suffix that `kubectl create --append-hash` adds to the name of this ConfigMap or Secret. */
export function nameHash({ kind, metadata, data = {}, binaryData, type = '' }: ConfigBody): string {
  const fields = {
    ...(binaryData !== undefined && { binaryData }),
    data,
    kind,
    name: metadata.name,
    ...(kind === 'Secret' && { type }),
  };
  const hex = createHash('sha256').update(goJson(fields)).digest('hex').slice(0, 10);
  const consonants: Record<string, string> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
  return [...hex].map((digit) => consonants[digit] ?? digit).join('');
}

/** JSON as Go writes it: with sorted keys, and with some more characters escaped than JavaScript does. */
function goJson(value: unknown): string {
  const sorted = (_: string, each: unknown) =>
    typeof each === 'object' && each !== null
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  return JSON.stringify(value, sorted).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
