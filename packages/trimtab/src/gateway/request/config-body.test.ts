import { expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import { configBody } from './config-body.ts';
import { checkUnknownFields, writeParameters } from './field-validation.ts';

test('a ConfigMap in the documented spelling has its name and its version', () => {
  const { body, version, unknown } = configBody('ConfigMap', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { Name: 'example-configmap', version: 'initial release' },
    data: { lives: '3' },
  });
  expect(version).toBe('initial release');
  expect(body).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'example-configmap' },
    data: { lives: '3' },
  });
  expect(unknown).toEqual([]);
});

test('the name counts more than the Name, which nobody knows then', () => {
  const { body, unknown } = configBody('ConfigMap', { metadata: { name: 'a', Name: 'b' } });
  expect(body.metadata).toEqual({ name: 'a' });
  expect(unknown).toEqual(['metadata.Name']);
});

test('the texts of a Secret become data, and count more, as the API server has it', () => {
  const { body } = configBody('Secret', {
    metadata: { name: 'a' },
    data: { user: 'YWxp\nY2U=', password: 'b2xk' },
    stringData: { password: 'new' },
  });
  expect(body.data).toEqual({ user: 'YWxpY2U=', password: 'bmV3' });
  expect(body).not.toHaveProperty('stringData');
});

test('keys that JavaScript gives a meaning stay keys, and nothing is an empty text', () => {
  const { body } = configBody(
    'ConfigMap',
    JSON.parse('{"data":{"__proto__":"a","constructor":"b","c":null}}'),
  );
  expect(JSON.stringify(body.data)).toBe('{"__proto__":"a","constructor":"b","c":""}');
});

test.each([
  ['nothing', undefined, 'the body is empty'],
  ['a list', [], 'the body is a list'],
  ['null', null, 'the body is null'],
  ['a text', 'hello', 'the body is a string'],
  ['another kind', { kind: 'Secret' }, 'of kind "Secret", but the path requires a ConfigMap'],
  ['another API', { apiVersion: 'v2' }, 'API version in the data (v2)'],
  [
    'a number for a text',
    { data: { port: 8080 } },
    'data["port"]: must be a string, not a number: put the value in quotes',
  ],
  ['a flag for a text', { data: { on: true } }, 'data["on"]: must be a string, not a boolean'],
  [
    'a map for a text',
    { data: { a: {} } },
    'data["a"]: must be a string, not a map: write the value as one string',
  ],
  ['a list for data', { data: [] }, 'data: must be a map of strings, not a list'],
  ['a number as version', { metadata: { version: 1.1 } }, 'metadata.version: must be a string, not a number'],
  ['a list as metadata', { metadata: [] }, 'metadata: must be a map, not a list'],
  ['a label that is no text', { metadata: { labels: { a: 1 } } }, 'metadata.labels["a"]'],
  ['no base64', { binaryData: { a: 'hunter2!' } }, 'binaryData["a"]: must be base64-encoded'],
  ['a text for a flag', { immutable: 'yes' }, 'immutable: must be true or false, not a string'],
])('%s is refused, and every mistake named', (_, value, why) => {
  const refusal = thrown(() => configBody('ConfigMap', value));
  expect(refusal.body).toMatchObject({ code: 400, reason: 'BadRequest' });
  expect(refusal.message).toContain(why);
  expect(refusal.message).not.toContain('hunter2');
});

const long = 'x'.repeat(2_900_000);
test.each([
  ['a kind', { kind: long }],
  ['a kind that is a map', { kind: { [long]: long } }],
  ['a kind that cannot be shown', { kind: { toJSON: 1, toString: null } }],
  ['an API version', { apiVersion: long }],
  ['an API version that is a map', { apiVersion: { toString: 1 } }],
  ['an API version that is no text', { apiVersion: [[{ toString: null }]] }],
  ['a key', { data: { [long]: 1 } }],
  ['20,000 keys', { data: Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`${n}`, 1])) }],
])('%s of a size or form that no message can show is refused in short', (_, value) => {
  const refusal = thrown(() => configBody('ConfigMap', value));
  expect(refusal.body.code).toBe(400);
  expect(JSON.stringify(refusal.body).length).toBeLessThan(3_000);
});

test('fields that nobody knows are refused, told or left out, as asked', () => {
  const { body, unknown } = configBody('ConfigMap', { metadata: { colour: 1 }, stringData: {}, type: 'x' });
  expect(body).toEqual({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
  expect(unknown).toEqual(['stringData', 'type', 'metadata.colour']);
  expect(checkUnknownFields(unknown, 'Warn', 'ConfigMap')).toHaveLength(3);
  expect(checkUnknownFields(unknown, 'Ignore', 'ConfigMap')).toEqual([]);
  expect(() => checkUnknownFields(unknown, 'Strict', 'ConfigMap')).toThrow('unknown field "metadata.colour"');
});

test('of many unknown fields, ten are named', () => {
  const unknown = Array.from({ length: 50_000 }, (_, n) => `${n}${'x'.repeat(1_000)}`);
  const warnings = checkUnknownFields(unknown, 'Warn', 'ConfigMap');
  expect(warnings).toHaveLength(11);
  expect(warnings.at(-1)).toBe('and 49990 more');
  expect(warnings.join().length).toBeLessThan(3_000);
});

test('the query of a write is read as the API server reads it', () => {
  const read = (text: string) => writeParameters(new URLSearchParams(text));
  expect(read('')).toEqual({ dryRun: false, fieldManager: undefined, fieldValidation: 'Warn' });
  expect(read('dryRun=All&fieldManager=me&fieldValidation=Strict')).toEqual({
    dryRun: true,
    fieldManager: 'me',
    fieldValidation: 'Strict',
  });
  expect(thrown(() => read('dryRun=all')).body.code).toBe(422);
  expect(thrown(() => read('fieldValidation=strict')).body.code).toBe(422);
});

function thrown(work: () => unknown): Refusal {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
