import { expect, test } from 'vitest';
import { namesVersion } from './names-version.ts';

function isOurs(text: string | Buffer, type = 'application/json'): boolean {
  return namesVersion(Buffer.from(text as string), { 'content-type': type });
}

test.each([
  ['JSON', '{"metadata":{"name":"a","version":"1.0.0"}}', 'application/json'],
  ['YAML', 'metadata:\n  version: initial release\n', 'application/yaml'],
  ['an escaped key', '{"metadata":{"\\u0076ersion":"1"}}', 'application/json'],
  ['a version that is no text, so that we refuse it', '{"metadata":{"version":1}}', 'application/json'],
  ['a version of nothing, so that we refuse it', '{"metadata":{"version":null}}', 'application/json'],
  [
    'a body that is too large to parse, so that we refuse it',
    `metadata: {version: "1"}\ndata: {${'k: v, '.repeat(30_000)}}`,
    'application/yaml',
  ],
  ['a version that is said twice', '{"metadata":{"version":"1"},"metadata":{}}', 'application/json'],
])('a POST with a version in %s is ours', (_, text, type) => {
  expect(isOurs(text, type)).toBe(true);
});

test.each([
  ['nothing of a version', '{"metadata":{"name":"a"}}', 'application/json'],
  ['a version in its data', '{"metadata":{"name":"a"},"data":{"version":"1"}}', 'application/json'],
  ['another mistake', '{"data":{"version":"1","version":"2"}}', 'application/json'],
  ['a mistake in its form', '{"metadata":{"version":"1"', 'application/json'],
  ['no metadata', '["version"]', 'application/json'],
  ['a form that only Kubernetes reads', 'k8s\0version', 'application/vnd.kubernetes.protobuf'],
])('a POST with %s is Kubernetes’ own', (_, text, type) => {
  expect(isOurs(text, type)).toBe(false);
});
