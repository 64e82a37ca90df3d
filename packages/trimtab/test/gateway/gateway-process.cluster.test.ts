import { X509Certificate } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type KubectlResult, kubectl, startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { systemNamespace } from '../../src/api/names.ts';
import { gatewayManifests } from '../../src/gateway/manifests/gateway-manifests.ts';
import { gatewayAccount } from '../../src/gateway/manifests/installation.ts';
import { installFor, uninstallFor } from '../controller/installed-manifests.ts';
import { GatewayProcess } from './support/gateway-process.ts';

let engine: Engine;
let gateway: GatewayProcess;
let namespace: string;
let kubeconfig: string;
let own: string;

beforeAll(async () => {
  engine = await currentEngine();
  namespace = await engine.namespace();
  await installFor(engine, { namespace, webhook: false });
  const stdin = gatewayManifests({})
    .map((object) => `---\n${stringify(object)}`)
    .join('');
  const applied = await kubectl(engine, ['apply', '--filename', '-'], { stdin });
  expect(applied.code, applied.stderr).toBe(0);
  own = await engine.kubeconfigOf({ serviceAccount: gatewayAccount, namespace: systemNamespace });
  const admin = await engine.connect();
  const mayEdit = clusterRoleFor('edit', 'alice', { serviceAccount: 'alice' });
  await new Given(admin, namespace).objects(serviceAccount('alice'), mayEdit);
  gateway = await start();
  const address = await gateway.address(engine, systemNamespace);
  kubeconfig = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, address);
});

afterAll(async () => {
  await gateway?.stop();
  if (namespace !== undefined) await uninstallFor(engine, { namespace, webhook: false });
  await engine?.close();
});

const start = (...flags: string[]) =>
  GatewayProcess.start(engine, { kubeconfig: own, homeNamespace: systemNamespace, flags });

function through(args: string[], options: { kubeconfig?: string } = {}): Promise<KubectlResult> {
  return kubectl(engine, args, { namespace, kubeconfig, ...options });
}

test('with the rights that `trimtab manifests --gateway` gives it, it starts and serves people', async () => {
  await waitFor('alice may write', async () => {
    const { code, stderr } = await through(['create', 'configmap', 'foo', '--from-literal=color=blue']);
    return code === 0 ? { met: true } : { seen: stderr };
  });
  const { stdout } = await through(['get', '--raw', `/api/v1/namespaces/${namespace}/configmaps/foo/1.0.0`]);
  expect(JSON.parse(stdout).metadata).toMatchObject({ name: 'foo', version: '1.0.0' });
});

test('those rights are for nobody else: who has none of their own gets nothing', async () => {
  await kubectl(engine, ['create', 'serviceaccount', 'bob'], { namespace });
  const address = await gateway.address(engine, systemNamespace);
  const bob = await engine.kubeconfigOf({ serviceAccount: 'bob', namespace }, address);
  const { stderr } = await through(['get', 'secrets'], { kubeconfig: bob });
  expect(stderr).toContain(`User "system:serviceaccount:${namespace}:bob" cannot list resource "secrets"`);
  const answer = await fetchWithout(
    `${gateway.url}/api/v1/namespaces/${namespace}/secrets`,
    address.authority ?? '',
  );
  expect(answer).toMatchObject({ code: 403, body: { kind: 'Status', reason: 'Forbidden' } });
  expect(JSON.stringify(answer.body)).toContain('system:anonymous');
});

/** Sends a request without credentials. */
function fetchWithout(
  url: string,
  ca: string,
): Promise<{ code: number | undefined; headers: IncomingHttpHeaders; body: unknown }> {
  return new Promise((resolve, reject) => {
    request(url, { ca }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ code: response.statusCode, headers: response.headers, body: JSON.parse(text) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('replicas share one authority, and its key is in no place where people look', async () => {
  const second = await start();
  try {
    const [one, two] = await Promise.all(
      [gateway, second].map((each) => each.address(engine, systemNamespace)),
    );
    expect(two?.authority).toBe(one?.authority);
    expect(new X509Certificate(one?.authority ?? '').ca).toBe(true);
    expect(one?.authority).not.toContain('PRIVATE');
    const elsewhere = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, two);
    expect((await through(['get', 'configmaps'], { kubeconfig: elsewhere })).code).toBe(0);
  } finally {
    await second.stop();
  }
});

test('it is ready, alive and measured', async () => {
  const text = async (path: string) => (await fetch(`${gateway.healthUrl}${path}`)).text();
  expect([await text('/readyz'), await text('/livez')]).toEqual(['ok', 'ok']);
  await through(['get', 'configmaps']);
  const metrics = await text('/metrics');
  expect(metrics).toMatch(
    /trimtab_gateway_requests_total\{route="pass-through",method="GET",code="200"\} \d+/,
  );
  expect(metrics).toMatch(/trimtab_gateway_request_duration_seconds_count\{route="pass-through"\} \d+/);
});

test('each request is a line of the log, under its ID in the audit log of the cluster', async () => {
  const { authority = '' } = await gateway.address(engine, systemNamespace);
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const { headers } = await fetchWithout(`${gateway.url}${path}?limit=1&fieldSelector=type%3Dx`, authority);
  const line = await waitFor('the line is written', async () => {
    const found = gateway.log.split('\n').find((each) => each.includes(`${headers['audit-id']}`));
    return found === undefined ? { seen: gateway.log.slice(-500) } : { met: found };
  });
  expect(JSON.parse(line)).toMatchObject({
    ...{ msg: 'request served', method: 'GET', route: 'pass-through', path, query: 'limit=1', status: 403 },
    ...{ caller: { is: 'anonymous' }, address: '127.0.0.1', requestId: headers['audit-id'] },
  });
});

test('told to stop, it ends watches cleanly and goes with code 0', async () => {
  const leaving = await start();
  const address = await leaving.address(engine, systemNamespace);
  const here = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, address);
  const raw = `/api/v1/namespaces/${namespace}/configmaps?watch=true`;
  const watching = startKubectl(engine, ['get', '--raw', raw], { namespace, kubeconfig: here });
  await waitFor('the watch has begun', async () =>
    watching.stdout().includes('\n') ? { met: true } : { seen: watching.stdout() },
  );
  expect(await leaving.stop()).toBe(0);
  const { code, stdout, stderr } = await watching.ended;
  expect([code, stderr]).toEqual([0, '']);
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { object: KubeObject });
  expect(events.length).toBeGreaterThan(0);
  expect(stdout.endsWith('\n')).toBe(true);
});

test('in a cluster, it serves on for a while after it has said that it stops', async () => {
  const leaving = await start('--shutdown-delay', '1m');
  const { authority = '' } = await leaving.address(engine, systemNamespace);
  leaving.signal('SIGTERM');
  await waitFor('it is not ready', async () => {
    const { status } = await fetch(`${leaving.healthUrl}/readyz`);
    return status === 503 ? { met: true } : { seen: String(status) };
  });
  expect(await fetchWithout(`${leaving.url}/api/v1/pods`, authority)).toMatchObject({ code: 403 });
  // A second SIGTERM ends the process at once.
  leaving.signal('SIGTERM');
  expect(await leaving.ended).toBe(143);
});
