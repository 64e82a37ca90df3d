import { expect, test } from 'vitest';
import { parseBody } from './parse-body.ts';

const versionIn = (text: string, format: 'json' | 'yaml') =>
  (parseBody(Buffer.from(text), format).value as { metadata: { version: unknown } }).metadata.version;

test.each([
  '1.1',
  '1.10',
  '0x10',
  '0o17',
  '1e3',
  '-1',
  '+.5',
  'true',
  'False',
  '.inf',
  '2026-11-18',
  '1.0.0',
  '007',
])('the unquoted version %s in YAML is taken as it was written', (written) => {
  expect(versionIn(`metadata:\n  name: foo\n  version: ${written} # a comment\n`, 'yaml')).toBe(written);
  expect(versionIn(`metadata: {version: &v ${written} , labels: {}}`, 'yaml')).toBe(written);
});

test.each(['1.1', '1.10', '1e3', '-0', '12345678901234567890', 'true', 'false'])(
  'the unquoted version %s in JSON is taken as it was written',
  (written) => {
    expect(versionIn(`{"data":{"version":"7"},"metadata":{"version": ${written} }}`, 'json')).toBe(written);
    expect(versionIn(`{"metadata":{"\\u0076ersion"\n:\t${written}}}`, 'json')).toBe(written);
  },
);

test('a version by alias is what the anchor wrote', () => {
  expect(versionIn('x: &v 1.10\nmetadata: {version: *v}', 'yaml')).toBe('1.10');
});

test.each([
  ['json', '{"metadata":{"version":null}}', null],
  ['yaml', 'metadata: {version: }', null],
  ['yaml', 'metadata: {version: ~}', null],
  ['yaml', 'metadata: {version: [1.10]}', [1.1]],
  ['json', '{"metadata":{"version":1.10},"metadata.version":7}', 1.1],
] as const)('what is no single value stays what it is, to be refused (%s: %s)', (format, text, value) => {
  expect(versionIn(text, format)).toEqual(value);
});

test('other numbers stay numbers', () => {
  expect(parseBody(Buffer.from('data: {version: 1.10}'), 'yaml').value).toEqual({ data: { version: 1.1 } });
  expect(parseBody(Buffer.from('{"data":{"version":1.10}}'), 'json').value).toEqual({
    data: { version: 1.1 },
  });
});
