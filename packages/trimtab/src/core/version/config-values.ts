import type { ConfigBody } from '../../api/config-body.ts';

/** The keys under which a config holds a value that another one holds, too. Empty values do not count. */
export function keysOfSharedValues(config: ConfigBody, other: ConfigBody): string[] {
  const values = new Set(valuesOf(other).values());
  return [...valuesOf(config)].filter(([, value]) => value !== '' && values.has(value)).map(([key]) => key);
}

/** The values of all keys in base64. Texts of a ConfigMap are encoded, so that they equal the same bytes elsewhere. */
export function valuesOf({ kind, data = {}, binaryData = {} }: ConfigBody): Map<string, string> {
  const text = (value: string) => (kind === 'Secret' ? canonical(value) : encoded(value));
  return new Map([
    ...Object.entries(data).map(([key, value]) => [key, text(value)] as const),
    ...Object.entries(binaryData).map(([key, value]) => [key, canonical(value)] as const),
  ]);
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

/** The API server accepts base64 with line breaks. */
function canonical(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64');
}
