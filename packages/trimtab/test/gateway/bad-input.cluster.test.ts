import { type IncomingHttpHeaders, request } from 'node:http';
import { configMaps } from '@trimtab/kube/resource.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { contentHash } from '../../src/core/version/content-hash.ts';
import { versionObject } from '../../src/core/version/version-object.ts';
import { controllerIdentity } from '../controller/installed-manifests.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;

beforeAll(async () => {
  scene = await VersionsScene.start();
  await scene.as('alice', 'POST', 'configmaps/1.0.0', { metadata: { name: 'foo' }, data: { a: 'b' } });
  await scene.as('alice', 'POST', 'configmaps', configMap('plain'));
});

afterAll(() => scene?.close());

/** Expects that a refused request changes no objects. */
async function unchanged(work: () => Promise<void>): Promise<void> {
  const before = [await scene.objects('configmaps'), await scene.objects('configrollouts')];
  await work();
  expect([await scene.objects('configmaps'), await scene.objects('configrollouts')]).toEqual(before);
}

const yaml = 'application/yaml';

test.each([
  ['nothing', '', undefined, 400, 'the body is empty'],
  ['half a document', '{"data":', undefined, 400, 'not valid JSON: syntax error at line 1, column 9'],
  ['JSON that is YAML', 'data: {}', undefined, 400, 'not valid JSON'],
  ['a list', '[]', undefined, 400, 'the body is a list'],
  ['a text', '"foo"', undefined, 400, 'the body is a string'],
  ['the same key twice', '{"data":{"a":"1","a":"2"}}', undefined, 400, 'duplicate field "data.a"'],
  ['the same key twice in YAML', 'data: {a: "1"}\ndata: {}', yaml, 400, 'duplicate field "data"'],
  ['two documents', 'data: {}\n---\ndata: {}', yaml, 400, 'several YAML documents'],
  ['broken YAML', 'data:\n\t- a', yaml, 400, 'not valid YAML'],
  [
    'a bomb',
    'a: &a [x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c]',
    yaml,
    400,
    'aliases',
  ],
  [
    '9,000 anchors and 22,000 aliases',
    `${Array.from({ length: 9_000 }, (_, n) => `a${n}: &a${n} 1\n`).join('')}b: [${'*a1,'.repeat(22_000)}]`,
    yaml,
    400,
    'more than 50 YAML anchors and aliases',
  ],
  ['a deep well of YAML', `${'- '.repeat(50_000)}a`, yaml, 400, 'levels'],
  ['many errors', `a: "${'\\q'.repeat(700_000)}"`, yaml, 400, 'BAD_DQ_ESCAPE at line 1, column 5'],
  ['a million values', `[${'1,'.repeat(1_000_000)}1]`, undefined, 400, 'more than 100000 values'],
  ['a deep well', '['.repeat(5_000), undefined, 400, 'levels'],
  ['another kind', '{"kind":"Secret"}', undefined, 400, 'of kind "Secret"'],
  ['another version of the API', '{"apiVersion":"v2"}', undefined, 400, 'API version in the data (v2)'],
  [
    'numbers for texts',
    '{"data":{"port":8080}}',
    undefined,
    400,
    'data["port"]: must be a string, not a number',
  ],
  [
    'a list as version',
    'metadata: {version: [1.1]}',
    yaml,
    400,
    'metadata.version: must be a string, not a list',
  ],
  [
    'a version of nothing',
    'metadata: {version: }',
    yaml,
    400,
    'metadata.version: must be a string, not null',
  ],
  [
    'another version, unquoted',
    'metadata: {version: 1.10}',
    yaml,
    400,
    'the version in the body ("1.10") does not match',
  ],
  ['another name', '{"metadata":{"name":"bar"}}', undefined, 400, 'does not match the name on the URL'],
  ['another namespace', '{"metadata":{"namespace":"bar"}}', undefined, 400, 'namespace'],
  ['another version', '{"metadata":{"version":"y"}}', undefined, 400, 'does not match the version'],
  ['a key that none can be', '{"data":{"a/b":""}}', undefined, 422, 'ConfigMap "foo" is invalid: data[a/b]'],
  ['the key ..', '{"data":{"..":""}}', undefined, 422, 'data[..]'],
  ['a key in two places', '{"data":{"a":""},"binaryData":{"a":""}}', undefined, 422, 'duplicate of key'],
  [
    'bytes that are no base64',
    '{"binaryData":{"a":"!"}}',
    undefined,
    400,
    'binaryData["a"]: must be base64-encoded',
  ],
  [
    '48 aliases of 200 kB',
    `data: {a: &a ${'x'.repeat(200_000)}, ${Array.from({ length: 48 }, (_, n) => `k${n}: *a`).join(', ')}}`,
    yaml,
    400,
    'more than 3145728 characters',
  ],
  ['a kind that cannot be shown', '{"kind":{"toString":1}}', undefined, 400, 'of kind a map'],
  ['an API version that cannot be shown', '{"apiVersion":{"toString":null}}', undefined, 400, '(a map)'],
  ['a form', 'a=b', 'application/x-www-form-urlencoded', 415, 'accepted media types include'],
  ['another charset', '{}', 'application/json; charset=utf-16', 415, 'charset'],
])('a version of %s is refused', async (_, body, contentType, code, why) => {
  await unchanged(async () => {
    const type = contentType === undefined ? {} : { contentType };
    const { status, json } = await scene.as('alice', 'POST', 'configmaps/foo/x', body, type);
    expect(json).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code });
    expect(json.message).toContain(why);
    expect(status).toBe(code);
  });
});

const long = 'x'.repeat(2_900_000);
const metadata = { version: 'y', name: 'foo' };
test.each([
  ['POST', 'configmaps/foo/x', { kind: long }],
  ['POST', 'configmaps/foo/x', { apiVersion: long }],
  ['POST', 'configmaps/foo/x', { metadata: { name: long } }],
  ['POST', 'configmaps/foo/x', { metadata: { namespace: long } }],
  ['POST', 'configmaps/foo/x', { metadata: { version: long } }],
  ['POST', 'configmaps/foo/x', { data: { [long]: 1 } }],
  ['POST', 'configmaps', { metadata: { name: long, version: 'y' } }],
  [
    'POST',
    'secrets',
    { metadata: { name: long, version: 'y' }, type: 'kubernetes.io/service-account-token' },
  ],
  ['PUT', 'configmaps/foo', { metadata: { ...metadata, version: long } }],
  ['PUT', 'configmaps/foo', { metadata: { ...metadata, annotations: { 'trimtab.dev/version': long } } }],
  ['PUT', 'configmaps/foo', { metadata: { ...metadata, name: long } }],
  ['DELETE', 'configmaps/foo/1.0.0', { kind: long }],
])('%s %s with 2.9 MB that an error may quote gets a short error', async (method, path, body) => {
  await unchanged(async () => {
    const { status, text, json } = await scene.as('alice', method, path, body);
    expect(json).toMatchObject({ kind: 'Status', status: 'Failure' });
    expect([400, 422]).toContain(status);
    expect(text.length).toBeLessThan(2_000);
  });
});

test.each([
  [
    'an applied release mode that is a map',
    'apply-patch+yaml',
    'new?fieldManager=me',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'new', version: 'y', annotations: { 'trimtab.dev/release': { trim: 1 } } },
    },
  ],
  [
    'a JSON patch with an operation of nothing',
    'json-patch+json',
    'plain',
    [null, { op: 'add', path: '/metadata/version', value: 'y' }],
  ],
  [
    'a manifest with a version that is a map',
    'strategic-merge-patch+json',
    'foo?fieldManager=kubectl-client-side-apply',
    {
      metadata: {
        version: 'y',
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': '{"metadata":{"version":{"toString":1}}}',
        },
      },
      data: { a: 1 },
    },
  ],
])('%s is refused', async (_, type, path, body) => {
  await unchanged(async () => {
    const { status, json } = await scene.as('alice', 'PATCH', `configmaps/${path}`, JSON.stringify(body), {
      contentType: `application/${type}`,
    });
    expect(json).toMatchObject({ kind: 'Status', status: 'Failure', code: status });
    expect([400, 422]).toContain(status);
  });
});

test('warnings about thousands of labels and unknown fields fit into the headers', async () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`${'初'.repeat(40)}${n}`, '1']));
  const body = { metadata: { ...metadata, labels: many, annotations: many }, ...many };
  for (const [method, path] of [
    ['POST', 'configmaps/foo/y?dryRun=All'],
    ['PUT', 'configmaps/foo?dryRun=All'],
  ] as const) {
    const { status, headers } = await scene.as('alice', method, path, body);
    expect([200, 201]).toContain(status);
    expect(headers.get('warning')).toMatch(/and 4990 more.*labels and annotations .* and [49]990 more/);
    expect(headers.get('warning')?.length).toBeLessThan(9_000);
  }
});

test('a body in chunks of one byte is read', async () => {
  const data = { a: 'x'.repeat(20_000) };
  const { status, body } = await raw('POST', `${configs()}/foo/chunks`, JSON.stringify({ data }), 'a byte');
  expect(JSON.parse(body).data).toEqual(data);
  expect(status).toBe(201);
  expect(await scene.gateway.metrics()).toContain('trimtab_gateway_buffered_body_bytes 0');
});

test('a body beyond 3 MiB is refused as the API server does, whether its length is told or not', async () => {
  const large = `{"data":{"a":"${'x'.repeat(3 * 1024 * 1024)}"}}`;
  for (const length of [large.length, 'untold'] as const) {
    const { status, body } = await raw('POST', `${configs()}/foo/x`, large, length);
    expect(JSON.parse(body)).toMatchObject({
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: limit is 3145728',
    });
    expect(status).toBe(413);
  }
});

const version = '{"version":"1.0.0"}';
const sent = '{"metadata":{"name":"formed","version":"1"}}';
test.each([
  ['POST', 'configmaps', '{"metadata":{"name":"formed"}}'],
  ['POST', 'configmaps', sent],
  ['POST', 'configmaps/1.0.0', sent],
  ['POST', 'configmaps/foo/', '{}'],
  ['POST', 'configmaps/foo/x', '{}'],
  ['PUT', 'configmaps/foo/current', version],
  ['PUT', 'configmaps/foo/current?dryRun=All', version],
  ['DELETE', 'configmaps/foo/1.0.0', '{}'],
  ['DELETE', 'configmaps/foo/', '{}'],
])('%s %s of `curl -d` is refused as the API server does', async (method, path, body) => {
  await unchanged(async () => {
    const contentType = 'application/x-www-form-urlencoded';
    const { status, json } = await scene.as('alice', method, path, body, { contentType });
    expect(json).toMatchObject({ kind: 'Status', code: 415, reason: 'UnsupportedMediaType' });
    expect(json.message).toMatch(/^the body of the request was in an unknown format .*application\/yaml/);
    expect(status).toBe(415);
  });
});

test.each([
  ['POST', 'configmaps', 'metadata: {name: formed, version: "1"}'],
  ['POST', 'configmaps/1.0.0', 'metadata: {name: formed}'],
  ['POST', 'configmaps/foo/', 'data: {}'],
  ['POST', 'configmaps/foo/x', 'data: {}'],
  ['PUT', 'configmaps/foo', 'metadata: {name: foo, version: "1"}'],
  ['PUT', 'configmaps/foo/current', 'version: 1.0.0'],
  ['PUT', 'configmaps/foo/current?dryRun=All', 'version: 1.0.0'],
  ['DELETE', 'configmaps/foo/1.0.0', 'dryRun: [All]'],
  ['DELETE', 'configmaps/foo/', 'dryRun: [All]'],
])(
  '%s %s of YAML without a content type is refused, because it is read as JSON',
  async (method, path, body) => {
    await unchanged(async () => {
      const { status, body: text } = await raw(method, `/api/v1/namespaces/${scene.namespace}/${path}`, body);
      expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
      expect(status).toBe(400);
    });
  },
);

test.each([
  ['POST', 'configmaps?dryRun=All', sent],
  ['POST', 'configmaps/1?dryRun=All', sent],
  ['POST', 'configmaps/foo/?dryRun=All', '{}'],
  ['POST', 'configmaps/foo/x?dryRun=All', '{}'],
  ['PUT', 'configmaps/foo?dryRun=All', '{"metadata":{"name":"foo","version":1.10}}'],
  ['PUT', 'configmaps/foo/current?dryRun=All', version],
  ['DELETE', 'configmaps/foo/spare?dryRun=All', '{}'],
  ['DELETE', 'configmaps/foo/?dryRun=All', '{}'],
])('%s %s of JSON without a content type is taken', async (method, path, body) => {
  await scene.as('alice', 'POST', 'configmaps/foo/spare', {});
  const { status, body: text } = await raw(method, `/api/v1/namespaces/${scene.namespace}/${path}`, body);
  expect([200, 201, 202], text).toContain(status);
});

const withTag = 'data: {a: !!binary YQ==}';
const merged = 'x: &m {version: "7.0"}\nmetadata: {<<: *m, name: plain}';
test.each([
  ['POST', 'configmaps', 'application/yaml', 'metadata: {name: lost, version: "1"}\n---\ndata: {a: b}'],
  ['POST', 'configmaps', 'application/yaml', `metadata: {name: lost, version: "1"}\n${withTag}`],
  ['PUT', 'configmaps/plain', 'application/yaml', `metadata: {name: plain, version: "1"}\n${withTag}`],
  ['PUT', 'configmaps/plain', 'application/yaml', 'metadata: {name: plain, version: "1"}\n---\nx: y'],
  [
    'PATCH',
    'configmaps/plain?fieldManager=me',
    'application/apply-patch+yaml',
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain, version: "1"}\n${withTag}`,
  ],
  [
    'PUT',
    'configmaps/plain',
    'application/json',
    '{"metadata":{"name":"plain","version":"1"},"data":{"a":"\xff"}}',
  ],
])('%s %s of %s that only API servers parse does not lose its version', async (method, path, type, body) => {
  await unchanged(async () => {
    const bytes = Buffer.from(body, 'latin1');
    const where = `/api/v1/namespaces/${scene.namespace}/${path}`;
    const { status, body: text } = await raw(method, where, bytes, bytes.length, { 'content-type': type });
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', code: 400, reason: 'BadRequest' });
    expect(status).toBe(400);
  });
});

test('a version by a YAML merge key is the version', async () => {
  const path = 'configmaps/plain?dryRun=All';
  const { status, json } = await scene.as('alice', 'PUT', path, merged, { contentType: yaml });
  expect(json.metadata.annotations).toEqual({ 'trimtab.dev/version': '7.0' });
  expect(status).toBe(200);
});

test('a server-side apply with many keys is JSON, as kubectl sends it, and gets its version', async () => {
  const data = Object.fromEntries(Array.from({ length: 13_000 }, (_, n) => [`key-${n}`, `${n}`]));
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big', version: '1.0' }, data };
  const { status, json } = await scene.as(
    'alice',
    'PATCH',
    'configmaps/big?fieldManager=me&dryRun=All',
    body,
    {
      contentType: 'application/apply-patch+yaml',
    },
  );
  expect(status, json.message).toBe(201);
  expect(json.metadata.version).toBe('1.0');
});

test('a compressed body is refused', async () => {
  const { status } = await scene.as('alice', 'POST', 'configmaps/foo/x', '{}', {
    headers: { 'content-encoding': 'gzip' },
  });
  expect(status).toBe(415);
});

const configs = () => `/api/v1/namespaces/${scene.namespace}/configmaps`;

// Sent exactly as written, without the normalization of an HTTP client.
test.each([
  ['/foo/..', 400, 'reserved in paths'],
  ['/foo/%2e%2e', 400, 'reserved in paths'],
  ['/%2e%2e/1.0.0', 400, 'reserved in paths'],
  ['/foo/%252e%252e', 404, 'has no version "%2e%2e"'],
  ['/foo/a%252Fb', 404, 'has no version "a%2Fb"'],
  ['/%252e%252e/1.0.0', 400, 'not a valid object name'],
  ['/foo/a%00b', 400, 'NUL'],
  ['/foo/%ff', 400, 'not valid percent-encoded UTF-8'],
  ['/foo/%', 400, 'not valid percent-encoded UTF-8'],
  ['/Foo/1.0.0', 400, 'not a valid object name'],
  ['/foo%2Fbar/1.0.0', 400, 'not a valid object name'],
  ['/foo/a%2Fb', 404, 'has no version "a/b"'],
  ['/foo/__proto__', 404, 'has no version "__proto__"'],
  ['/foo/CURRENT', 404, `has no version "CURRENT": the name reads like 'current'`],
  ['/foo/%20', 404, 'has no version " "'],
  [`/foo/${'x'.repeat(1_000)}`, 404, 'has no version'],
])('GET %s is a %i', async (path, code, why) => {
  const { status, body } = await raw('GET', configs() + path);
  expect(JSON.parse(body).message).toContain(why);
  expect(status).toBe(code);
});

test.each([
  ['a space', 'initial%20release', 'initial release'],
  ['another script', '%E5%88%9D%E7%89%88', '初版'],
  ['a per cent', '100%25', '100%'],
  ['what looks encoded', '50%25ad', '50%ad'],
  ['what looks like a slash', 'a%252Fb', 'a%2Fb'],
  ['what looks like a parent', '%252e%252e', '%2e%2e'],
  ['leading dots', '...x', '...x'],
  ['a semicolon', 'a;b', 'a;b'],
  ['a hash', 'a%23b', 'a#b'],
  ['a plus', '1+1', '1+1'],
  ['a question', 'why%3F', 'why?'],
  ['JavaScript', 'constructor', 'constructor'],
])('a version name with %s works everywhere', async (_, encoded, name) => {
  const added = await raw('POST', `${configs()}/foo/${encoded}`, JSON.stringify({ data: { name } }));
  expect(JSON.parse(added.body).metadata.version).toBe(name);
  const location = String(added.headers['location']);
  expect(JSON.parse((await raw('GET', location)).body).metadata.version).toBe(name);
  const planned = await raw('PUT', `${configs()}/foo/current?dryRun=All`, JSON.stringify({ version: name }));
  expect(planned.status).toBe(200);
  const { body } = await raw('GET', `${configs()}/foo/${encoded}`);
  expect(JSON.parse(body)).toMatchObject({ metadata: { version: name }, data: { name } });
  const { json } = await scene.ours('alice', `configmaps/foo/versions/1.0.0/diff/${encoded}`, {
    accept: 'application/json',
  });
  expect(json.to).toBe(name);
  expect((await raw('DELETE', `${configs()}/foo/${encoded}`)).status).toBe(200);
});

test.each([
  ['%20x', 'white space'],
  ['a%0Ab', 'one line'],
  ['a%7Fb', 'control characters'],
  ['x'.repeat(254), 'no more than 253'],
  ['current', 'is reserved'],
  ['CURRENT', 'is reserved'],
  ['%D1%81urrent', 'is reserved'],
  ['a%2Fb', 'separators of the path'],
  ['1.0%E2%80%8B.1', 'invisible characters (U+200B)'],
  ['1.0%E2%80%AE.1', 'invisible characters (U+202E)'],
  ['cafe%CC%81', 'NFC'],
])('a version named %s is refused', async (encoded, why) => {
  await unchanged(async () => {
    const { status, body } = await raw('POST', `${configs()}/foo/${encoded}`, '{}');
    expect(JSON.parse(body).message).toContain(why);
    expect(status).toBe(422);
  });
});

test.each(['CURRENT', 'a/b', 'cafe\u0301', '1.0\u200b.1'])(
  'a version of an earlier release that is named %j stays readable, and can be activated and deleted',
  async (name) => {
    const { namespace, client } = scene;
    const rollout = await client.get<ConfigRollout>(configRollouts, { namespace, name: 'configmap-foo' });
    const body = configMap('foo', { name });
    const made = { name, sequence: 90, contentHash: contentHash(body), createdBy: 'alice' } as const;
    // Users cannot create it any more; the policy exempts the controller.
    const controller = await scene.engine.connect(controllerIdentity);
    await controller.create(configMaps, versionObject(rollout, body, { ...made, state: 'not-current' }));
    const path = `${configs()}/foo/${encodeURIComponent(name)}`;
    expect(JSON.parse((await raw('GET', path)).body).data).toEqual({ name });
    const request = JSON.stringify({ version: name });
    expect((await raw('PUT', `${configs()}/foo/current?dryRun=All`, request)).status).toBe(200);
    expect((await raw('DELETE', path)).status).toBe(200);
    expect((await raw('GET', path)).status).toBe(404);
    const unknown = await raw('PUT', `${configs()}/foo/current`, request);
    expect(JSON.parse(unknown.body).message).toContain(': the name ');
    expect(unknown.status).toBe(404);
  },
);

test.each([
  ['POST', '/foo/x?dryRun=all', '{}', 422],
  ['POST', '/foo/x?fieldValidation=maybe', '{}', 422],
  ['DELETE', '/foo/1.0.0', '{"kind":"ConfigMap"}', 400],
  ['DELETE', '/foo/1.0.0', '{"dryRun":"All"}', 400],
  ['DELETE', '/foo/1.0.0', '{', 400],
  ['DELETE', '/foo/', 'null', 400],
  ['DELETE', '/foo/', '{"preconditions":{"uid":1}}', 400],
])('%s %s with %s is a %i', async (method, path, sent, code) => {
  await unchanged(async () => {
    const { status, body } = await raw(method, configs() + path, sent);
    expect(JSON.parse(body)).toMatchObject({ kind: 'Status', code });
    expect(status).toBe(code);
  });
});

test('nobody without a name gets anything', async () => {
  for (const [method, path, body] of [
    ['GET', '/foo/1.0.0', undefined],
    ['POST', '/foo/x', '{}'],
    ['DELETE', '/foo/1.0.0', undefined],
  ] as const) {
    const { status } = await raw(method, configs() + path, body, undefined, {
      authorization: 'Bearer nonsense',
    });
    expect(status).toBe(401);
  }
});

/** Sends a request exactly as written: `fetch` would normalize the path. */
async function raw(
  method: string,
  path: string,
  body?: string | Buffer,
  length: number | 'untold' | 'a byte' = Buffer.byteLength(body ?? ''),
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }> {
  const { authorization = '' } = await (await scene.engine.access(scene.identityOf('alice'))).headers();
  const { hostname, port } = new URL(scene.gateway.url);
  const own = {
    authorization,
    ...(typeof length === 'number' && { 'content-length': String(length) }),
    ...headers,
  };
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: own }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, body: text }),
      );
    });
    sent.once('error', reject);
    if (length === 'a byte') for (const byte of String(body)) sent.write(byte);
    sent.end(length === 'a byte' ? undefined : body);
  });
}
