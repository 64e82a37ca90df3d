import { expect, test } from 'vitest';
import { Refusal } from '../../../versions/refusal.ts';
import type { BodyFormat } from '../../request/content-type.ts';
import { hasVersion, parseIfNamed } from './names-version.ts';

type Found = 'a version' | 'no version' | 'refused';

async function found(text: string | Buffer, format: BodyFormat, turn = async () => {}): Promise<Found> {
  try {
    const parsed = await parseIfNamed(Buffer.from(text as string), format, hasVersion, turn);
    return parsed === undefined ? 'no version' : 'a version';
  } catch (error) {
    if (error instanceof Refusal && error.body.code === 400) return 'refused';
    throw error;
  }
}

const badByte = (text: string) => Buffer.from(text.replace('?', '\u00ff'), 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each([
  ['JSON', '{"metadata":{"name":"a","version":"1.0.0"}}', 'json'],
  ['YAML', 'metadata:\n  version: initial release\n', 'yaml'],
  ['an escaped key', '{"metadata":{"\\u0076ersion":"1"}}', 'json'],
  ['a merge', 'x: &m {version: "1"}\nmetadata: {<<: *m, name: a}', 'yaml'],
  ['a version that is no text', '{"metadata":{"version":[1]}}', 'json'],
  ['a version of nothing', '{"metadata":{"version":null}}', 'json'],
  ['a version that is said twice', '{"metadata":{"version":"1"},"metadata":{}}', 'json'],
  ['two merges', 'x: &m {version: "1"}\nmetadata: {<<: *m, <<: {name: a}}', 'yaml'],
] as const)('a body with a version in %s is ours', async (_, text, format) => {
  expect(await found(text, format)).toBe('a version');
});

test.each([
  ['too many keys', `metadata: {version: "1"}\ndata: {${'k: v, '.repeat(30_000)}}`, 'yaml'],
  ['a second document', 'metadata: {version: "1"}\n---\ndata: {a: b}', 'yaml'],
  ['a tag', 'metadata: {version: "1"}\ndata: {a: !!binary YQ==}', 'yaml'],
  ['a version with a tag', 'metadata: {version: !!binary MQ==}', 'yaml'],
  ['a byte that is not UTF-8', badByte('{"metadata":{"version":"1"},"data":{"a":"?"}}'), 'json'],
  ['UTF-16', utf16('metadata: {version: "1"}'), 'yaml'],
  ['a mistake that another parser may accept', 'metadata: {version: "1"}\n\tdata: @', 'yaml'],
] as const)('a body with a version that we do not parse is refused: %s', async (_, text, format) => {
  expect(await found(text, format)).toBe('refused');
});

test.each([
  ['nothing of a version', '{"metadata":{"name":"a"}}', 'json'],
  ['a version in its data', '{"metadata":{"name":"a"},"data":{"version":"1"}}', 'json'],
  ['another mistake', '{"data":{"version":"1","version":"2"}}', 'json'],
  ['a mistake in its form', '{"metadata":{"version":"1"', 'json'],
  ['no metadata', '["version"]', 'json'],
  ['a second document', 'data: {version: "1"}\n---\nmetadata: {version: "1"}', 'yaml'],
  ['a tag', 'metadata: {labels: {version: "1"}}\ndata: {a: !!binary YQ==}', 'yaml'],
  ['a byte that is not UTF-8', badByte('{"data":{"version":"?"}}'), 'json'],
  ['UTF-16', utf16('data: {version: "1"}'), 'yaml'],
] as const)('a body without one is Kubernetes’ own: %s', async (_, text, format) => {
  expect(await found(text, format)).toBe('no version');
});

test('a body is read a second time only when it cannot be parsed, and then in another turn', async () => {
  let turns = 0;
  const turn = async () => {
    turns += 1;
  };
  for (const text of ['metadata: {version: "1"}', 'data: {version: "1"}', 'metadata: {name: a}'])
    await found(text, 'yaml', turn);
  expect(turns).toBe(0);
  expect(await found('metadata: {version: "1"}\n---\na: b\n', 'yaml', turn)).toBe('refused');
  expect(turns).toBe(1);
});
