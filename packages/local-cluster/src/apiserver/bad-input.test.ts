import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject, Status } from '@trimtab/kube/wire.ts';
import { type LocalServer, startLocalServer } from '@trimtab/test-bed/engines/local-server.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, rawCall } from '../../test/support/raw-call.ts';

let local: LocalServer;
const collection = '/api/v1/namespaces/default/configmaps';

beforeAll(async () => {
  local = await startLocalServer();
});
afterAll(() => local.close());

function send(
  method: string,
  path: string,
  body?: string,
  contentType = 'application/json',
): Promise<Answer> {
  return rawCall(local.server, { method, path, ...(body !== undefined && { body, contentType }) });
}

test.each([
  ['no JSON', '{"a"', 'application/json', 400, 'unexpected end of JSON input'],
  ['a list', '[]', 'application/json', 400, 'cannot unmarshal array'],
  ['nothing', '', 'application/json', 400, '(<empty>)'],
  [
    'another kind',
    '{"kind":"Foo","apiVersion":"x/v1"}',
    'application/json',
    400,
    'no kind "Foo" is registered',
  ],
  ['a wrong type', '{"data":{"a":1}}', 'application/json', 400, 'ConfigMap.data of type string'],
  ['no name', '{}', 'application/json', 422, 'name or generateName is required'],
  ['a bad name', '{"metadata":{"name":"A_"}}', 'application/json', 422, 'a lowercase RFC 1123 subdomain'],
  [
    'another namespace',
    '{"metadata":{"name":"x","namespace":"y"}}',
    'application/json',
    400,
    'does not match the namespace',
  ],
  ['bad YAML', 'a: [', 'application/yaml', 400, 'yaml: line 1'],
  ['a YAML bomb', bomb(), 'application/yaml', 400, 'yaml:'],
  ['no known format', 'x', 'text/plain', 415, 'the body of the request was in an unknown format'],
  [
    'no protobuf',
    'k8s',
    'application/vnd.kubernetes.protobuf',
    400,
    'does not appear to be a protobuf message',
  ],
  [
    'depth',
    `{"metadata":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
    'application/json',
    400,
    'exceeded max depth',
  ],
])('a body that is %s gets a Status that says so', async (_what, body, contentType, code, message) => {
  const answer = await send('POST', collection, body, contentType);
  const status = JSON.parse(answer.body) as Status;
  expect([answer.code, status.kind, status.code]).toEqual([code, 'Status', code]);
  expect(status.message).toContain(message);
});

/** A YAML document that is small as text and huge once its aliases are expanded. */
function bomb(): string {
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x]'];
  for (const [before, name] of [...'abcdefgh'].map((each, index, all) => [each, all[index + 1]]))
    if (name !== undefined) lines.push(`${name}: &${name} [${`*${before},`.repeat(9)}]`);
  return lines.join('\n');
}

test('a key called __proto__ is kept as the key that it is', async () => {
  const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"1","constructor":"2"}}';
  expect((await send('POST', collection, body)).code).toBe(201);
  const patch = '{"data":{"__proto__":"3"}}';
  const answer = await send('PATCH', `${collection}/proto`, patch, 'application/merge-patch+json');
  expect(answer.body).toContain('"data":{"__proto__":"3","constructor":"2"}');
});

test('fields that nobody knows are warned of, refused or ignored, as the client asks', async () => {
  const body = '{"metadata":{"name":"x"},"extra":1,"data":{"a":"1","a":"2"}}';
  const path = (validation: string) => `${collection}?dryRun=All&fieldValidation=${validation}`;
  const warned = await send('POST', path('Warn'), body);
  expect(warned.headers['warning']).toBe(
    '299 - "unknown field \\"extra\\"", 299 - "duplicate field \\"data.a\\""',
  );
  expect((await send('POST', path('Ignore'), body)).headers['warning']).toBeUndefined();
  const refused = JSON.parse((await send('POST', path('Strict'), body)).body) as Status;
  expect(refused.message).toBe(
    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "extra", duplicate field "data.a"',
  );
});

test.each([
  ['{}', 400],
  ['a: [', 400],
  ['- a', 400],
  ['apiVersion: v1\nkind: ConfigMap\nmetadata: 7', 500],
  ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, finalizers: [{}]}', 500],
  ['{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"__proto__":{"a":1}}', 500],
])('an apply of %s is answered with %d, and the server goes on', async (body, code) => {
  const path = `${collection}/x?fieldManager=me&force=true`;
  const answer = await send('PATCH', path, body, 'application/apply-patch+yaml');
  expect(answer.code).toBe(code);
});

test.each([
  ['GET', '/api/v1/namespaces/default/nope', 404],
  ['GET', '/apis/nope/v1/x', 404],
  ['GET', '/api/v1/%zz', 400],
  ['PUT', collection, 405],
  ['POST', '/api/v1/configmaps', 405],
  ['PATCH', `${collection}/x/nope`, 404],
  ['GET', `${collection}?limit=x`, 400],
  ['GET', `${collection}?labelSelector=a+b`, 400],
  ['GET', `${collection}?continue=abc`, 400],
  ['GET', `${collection}?resourceVersion=99999999`, 504],
])('%s %s is answered with %d, and the server goes on', async (method, path, code) => {
  const body = method === 'GET' ? undefined : '{}';
  expect((await send(method, path, body)).code).toBe(code);
});

test('a thousand watches hear of a change, and one after the other of the next', async () => {
  const stop = new AbortController();
  const { metadata } = await local.client.list(configMaps, { namespace: 'default' });
  const open = async () => {
    const stream = await local.client.watch(configMaps, {
      namespace: 'default',
      timeoutSeconds: 600,
      signal: stop.signal,
      resourceVersion: metadata.resourceVersion as string,
    });
    return stream.events[Symbol.asyncIterator]() as AsyncIterator<{ object: KubeObject }>;
  };
  const heard: Awaited<ReturnType<typeof open>>[] = [];
  // Watches are opened in batches: this process does both sides of every TLS handshake.
  while (heard.length < 1_000) heard.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  for (const name of ['first', 'second']) {
    await local.client.create(configMaps, { metadata: { name, namespace: 'default' } });
    const events = await Promise.all(heard.map((each) => each.next()));
    expect(new Set(events.map(({ value }) => value.object.metadata.name))).toEqual(new Set([name]));
  }
  stop.abort();
}, 60_000);
