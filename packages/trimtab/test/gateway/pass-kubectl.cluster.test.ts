import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type KubectlResult, kubectl, startKubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { GatewayScene } from './support/gateway-scene.ts';

let engine: Engine;
let admin: KubeClient;
let gateway: GatewayScene;
let namespace: string;
let kubeconfig: string;
let folder: string;

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  gateway = await GatewayScene.startSecure(engine);
  namespace = await engine.namespace();
  folder = await mkdtemp(join(tmpdir(), 'trimtab-editor-'));
  const mayEdit = clusterRoleFor('edit', 'alice', { serviceAccount: 'alice' });
  await new Given(admin, namespace).objects(serviceAccount('alice'), mayEdit);
  kubeconfig = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, gateway.address);
  await waitFor('alice may edit', async () => {
    const { stdout } = await through(['auth', 'can-i', 'update', 'configmaps']);
    return stdout.trim() === 'yes' ? { met: true } : { seen: stdout };
  });
});

afterAll(async () => {
  await gateway?.close();
  if (folder !== undefined) await rm(folder, { recursive: true });
  await engine?.close();
});

afterEach(() => void vi.unstubAllEnvs());

/** kubectl as alice, with a kubeconfig that points at the gateway. */
function through(args: string[], stdin?: string): Promise<KubectlResult> {
  return kubectl(engine, args, { namespace, kubeconfig, ...(stdin !== undefined && { stdin }) });
}

async function works(args: string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await through(args, stdin);
  expect(code, stderr).toBe(0);
  return stdout;
}

const dataOf = async (name: string) => (await admin.get<ConfigMap>(configMaps, { namespace, name })).data;

test('kubectl applies, client-side and server-side, and reads what it applied', async () => {
  const first = JSON.stringify(configMap('applied', { color: 'blue' }));
  expect(await works(['apply', '--filename', '-'], first)).toContain('created');
  expect(await works(['apply', '--filename', '-'], first)).toContain('unchanged');
  const second = JSON.stringify(configMap('applied', { color: 'green' }));
  const server = ['apply', '--server-side', '--force-conflicts', '--filename', '-'];
  expect(await works(server, second)).toContain('serverside-applied');
  expect(await works(['get', 'configmap', 'applied', '-o', 'jsonpath={.data.color}'])).toBe('green');
  expect(await works(['get', 'configmaps'])).toMatch(/^NAME +DATA +AGE/);
  expect(await works(['delete', 'configmap', 'applied'])).toContain('deleted');
});

test('kubectl edit changes an object', async () => {
  await works(['create', 'configmap', 'edited', '--from-literal=color=blue']);
  const editor = join(folder, 'editor');
  await writeFile(editor, '#!/bin/sh\nsed -i s/blue/red/ "$1"\n');
  await chmod(editor, 0o700);
  vi.stubEnv('KUBE_EDITOR', editor);
  await works(['edit', 'configmap', 'edited']);
  expect(await dataOf('edited')).toEqual({ color: 'red' });
});

test('kubectl get --watch prints each change as it happens', async () => {
  await works(['create', 'configmap', 'watched', '--from-literal=n=0']);
  const watching = startKubectl(
    engine,
    ['get', 'configmap', 'watched', '--watch', '-o', 'jsonpath={.data.n}{" "}'],
    { namespace, kubeconfig },
  );
  try {
    for (const n of ['0', '1', '2']) {
      if (n !== '0')
        await admin.patch(
          configMaps,
          { namespace, name: 'watched' },
          { type: 'merge', body: { data: { n } } },
        );
      await waitFor(`${n} is printed`, async () =>
        watching.stdout().includes(`${n} `) ? { met: true } : { seen: watching.stdout() },
      );
    }
  } finally {
    watching.stop();
    await watching.ended;
  }
});

test('kubectl rollout status follows a Deployment to its end', async () => {
  await works(['apply', '--filename', '-'], JSON.stringify(deployment('web')));
  expect(await works(['rollout', 'status', 'deployment/web', '--timeout=25s'])).toContain(
    'successfully rolled out',
  );
});

test('kubectl is told what alice may, and refused what she may not', async () => {
  expect((await through(['auth', 'can-i', 'get', 'nodes'])).stdout).toBe('no\n');
  expect(await works(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
    `system:serviceaccount:${namespace}:alice`,
  );
  const { code, stderr } = await through(['get', 'nodes']);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(`"system:serviceaccount:${namespace}:alice" cannot list`),
  ]);
});

test('kubectl --as works for those who may impersonate, and for nobody else', async () => {
  const { stderr } = await through(['--as=root', 'get', 'configmaps']);
  expect(stderr).toMatch(/alice" cannot impersonate/);
  const role = [
    'create',
    'clusterrole',
    `impersonator-${namespace}`,
    '--verb=impersonate',
    '--resource=users,groups',
  ];
  await kubectl(engine, role);
  const binding = [`--clusterrole=impersonator-${namespace}`, `--serviceaccount=${namespace}:alice`];
  await kubectl(engine, ['create', 'clusterrolebinding', `impersonator-${namespace}`, ...binding]);
  try {
    const who = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username} {.status.userInfo.groups}'];
    await waitFor('alice may impersonate', async () => {
      const { stdout, stderr } = await through([
        '--as=bob',
        '--as-group=team-a',
        '--as-group=team-b',
        ...who,
      ]);
      return stdout === 'bob ["team-a","team-b","system:authenticated"]'
        ? { met: true }
        : { seen: stdout + stderr };
    });
  } finally {
    await kubectl(engine, ['delete', 'clusterrole,clusterrolebinding', `impersonator-${namespace}`]);
  }
});

test('the audit log names the person and their program, and nobody in between', async () => {
  if (!engine.capabilities.auditLog) return;
  const log = engine.auditLog();
  const mark = await log.mark();
  await works(['create', 'configmap', 'audited']);
  const made = (await log.since(mark)).find(({ verb, name }) => verb === 'create' && name === 'audited');
  expect(made).toMatchObject({ user: `system:serviceaccount:${namespace}:alice`, code: 201 });
  expect(made?.impersonatedBy).toBeUndefined();
  expect(made?.userAgent).toMatch(/^kubectl/);
});

test('warnings of the API server reach the person', async () => {
  const object = { ...deployment('warned'), metadata: { name: 'warned' } };
  const pod = { ...object.spec.template.spec, containers: [{ ...object.spec.template.spec.containers[0] }] };
  const bad = {
    ...object,
    spec: { ...object.spec, template: { ...object.spec.template, spec: { ...pod, oops: 1 } } },
  };
  const { stderr } = await through(
    ['create', '--validate=warn', '--dry-run=server', '--filename', '-'],
    JSON.stringify(bad),
  );
  expect(stderr).toContain('Warning: unknown field "spec.template.spec.oops"');
});

test('a large object passes in both directions', async () => {
  const data = { text: 'x'.repeat(900_000) };
  await works(['create', '--filename', '-'], JSON.stringify(configMap('large', data)));
  expect((await works(['get', 'configmap', 'large', '-o', 'jsonpath={.data.text}'])).length).toBe(900_000);
});
