import { request } from 'node:http';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { clusterRoleFor } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { GatewayProcess } from './support/gateway-process.ts';

let engine: Engine;
let proxy: GatewayProcess;
let namespace: string;

beforeAll(async () => {
  engine = await currentEngine();
  namespace = await engine.namespace();
  await installFor(engine, { namespace, webhook: false });
  await new Given(await engine.connect(), namespace).objects(
    configMap('foo', { color: 'blue' }),
    clusterRoleFor('edit', 'dora', { user: `dora-${namespace}` }),
  );
  // Uses a client certificate, as most administrators do: it belongs to the connection, not to a header.
  proxy = await GatewayProcess.startProxy(await engine.kubeconfigOf({ certificateOf: `dora-${namespace}` }));
});

afterAll(async () => {
  await proxy?.stop();
  if (namespace !== undefined) await uninstallFor(engine, { namespace, webhook: false });
  await engine?.close();
});

const path = () => `/api/v1/namespaces/${namespace}/configmaps/foo`;

function ask(headers: Record<string, string> = {}, where = path()) {
  return new Promise<{ code: number | undefined; text: string }>((resolve, reject) => {
    request(`${proxy.url}${where}`, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ code: response.statusCode, text }));
    })
      .on('error', reject)
      .end();
  });
}

test('everything is asked as the user of the kubeconfig, our own routes as well', async () => {
  expect(JSON.parse((await ask()).text).data).toEqual({ color: 'blue' });
  expect(JSON.parse((await ask({}, `${path()}/1.0.0`)).text).metadata.version).toBe('1.0.0');
  const refused = await ask({}, '/api/v1/nodes');
  expect([refused.code, refused.text]).toEqual([403, expect.stringContaining(`dora-${namespace}`)]);
});

test('kubectl works through it, without any credential of its own', async () => {
  const server = ['--server', proxy.url];
  const { stdout, stderr } = await kubectl(engine, [...server, 'get', 'configmap', 'foo', '-o', 'name'], {
    namespace,
    kubeconfig: '/dev/null',
  });
  expect([stdout, stderr]).toEqual(['configmap/foo\n', '']);
});

test.each([
  ['a page of another origin', { origin: 'http://evil.example' }],
  ['a page that a browser calls foreign', { 'sec-fetch-site': 'cross-site' }],
  ['a name that was made to point here', { host: 'evil.example' }],
  ['the wish to be somebody else', { 'impersonate-user': 'root' }],
])('%s is refused', async (_, headers) => {
  const { code, text } = await ask(headers as Record<string, string>);
  expect([code, JSON.parse(text)]).toEqual([
    403,
    expect.objectContaining({ kind: 'Status', reason: 'Forbidden' }),
  ]);
});

test('a token that somebody sends along is not passed on', async () => {
  expect((await ask({ authorization: 'Bearer made-up' })).code).toBe(200);
});

test('it ends when it is told to', async () => {
  const other = await GatewayProcess.startProxy(engine.kubeconfig);
  expect(await other.stop()).toBe(0);
});
