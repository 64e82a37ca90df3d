import { expect, test } from 'vitest';
import { valuesOf } from './config-values.ts';
import { lastApplied } from './last-applied.ts';

const applied = (text: string) =>
  lastApplied({
    kind: 'ConfigMap',
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': text } },
  }).flatMap((each) => [...valuesOf(each)]);

const trout = Buffer.from('trout').toString('base64');

test.each([
  ['data', { data: { fish: 'trout' } }],
  ['stringData', { stringData: { fish: 'trout' } }],
  ['binaryData', { binaryData: { fish: trout } }],
])('the values of %s are found', (_, manifest) => {
  expect(applied(JSON.stringify(manifest))).toEqual([['fish', trout]]);
});

test.each([
  ['maps that are null', '{"data":null,"binaryData":null,"stringData":null}'],
  ['values that are no texts', '{"data":{"a":null,"b":1},"binaryData":{"c":{}},"stringData":{"d":null}}'],
  ['maps that are no maps', '{"data":"trout","binaryData":["trout"],"stringData":7}'],
  ['nothing', 'null'],
  ['a list', '[]'],
  ['no JSON', ''],
])('an annotation with %s holds no values', (_, text) => {
  expect(applied(text)).toEqual([]);
});

test('values beside one that is null are found', () => {
  expect(applied('{"data":{"a":null,"fish":"trout"},"binaryData":null}')).toEqual([['fish', trout]]);
});
