import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { GatewayScene } from './support/gateway-scene.ts';

let engine: Engine;
let admin: KubeClient;
let gateway: GatewayScene;
let namespace: string;
let kubeconfig: string;

const replicationControllers: Resource = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  plural: 'replicationcontrollers',
  namespaced: true,
};

beforeAll(async () => {
  engine = await currentEngine();
  admin = await engine.connect();
  gateway = await GatewayScene.startSecure(engine);
  namespace = await engine.namespace();
  const mayEdit = clusterRoleFor('edit', 'alice', { serviceAccount: 'alice' });
  await new Given(admin, namespace).objects(serviceAccount('alice'), mayEdit);
  kubeconfig = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, gateway.address);
  await waitFor('alice may edit', async () => {
    const { stdout } = await through(['auth', 'can-i', 'update', 'replicationcontrollers']);
    return stdout.trim() === 'yes' ? { met: true } : { seen: stdout };
  });
});

afterAll(async () => {
  await gateway?.close();
  await engine?.close();
});

function through(args: string[], stdin?: string) {
  const target = { kubectl: engine.kubectl, kubeconfig };
  return kubectl(target, args, { namespace, ...(stdin !== undefined && { stdin }) });
}

/** The manifest of the proposal, with the fields that it leaves out. */
const nginx = (more = 'OverrideConfigPort: 9002') => `
apiVersion: v1
kind: ReplicationController
metadata:
  name: nginx
spec:
  ConfigRestarts: false # I will use SIGUSRx or Web Hooks // default value is true
  ${more}
  replicas: 0
  selector: {app: nginx}
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: nginx}]}
`;

interface Controller extends KubeObject {
  spec: { template: { metadata: { annotations?: Record<string, string> } } };
}

const notesOf = async (name: string) => {
  const { spec } = await admin.get<Controller>(replicationControllers, { namespace, name });
  expect(JSON.stringify(spec)).not.toContain('ConfigRestarts');
  return spec.template.metadata.annotations;
};

test('kubectl creates, applies and replaces the proposal’s manifest, whose fields become annotations', async () => {
  expect(await through(['create', '-f', '-'], nginx())).toMatchObject({ code: 0, stderr: '' });
  expect(await notesOf('nginx')).toEqual({
    [annotations.restart]: 'false',
    [annotations.configPort]: '9002',
  });
  expect((await through(['replace', '-f', '-'], nginx('OverrideConfigPort: 9003'))).code).toBe(0);
  expect(await notesOf('nginx')).toMatchObject({ [annotations.configPort]: '9003' });
  expect((await through(['delete', 'rc', 'nginx'])).code).toBe(0);

  expect((await through(['apply', '-f', '-'], nginx())).code).toBe(0);
  expect((await through(['apply', '-f', '-'], nginx('OverrideConfigPort: 9004'))).code).toBe(0);
  expect(await notesOf('nginx')).toMatchObject({ [annotations.configPort]: '9004' });
  const byServer = await through(['apply', '--server-side', '--force-conflicts', '-f', '-'], nginx());
  expect(byServer).toMatchObject({ code: 0 });
  expect(await notesOf('nginx')).toMatchObject({ [annotations.configPort]: '9002' });
});

test('a patch may name only the field', async () => {
  await through(['apply', '-f', '-'], nginx().replace('name: nginx', 'name: patched'));
  const patch = '{"spec":{"ConfigRestarts":true}}';
  expect((await through(['patch', 'rc', 'patched', '--type=merge', '-p', patch])).code).toBe(0);
  expect(await notesOf('patched')).toMatchObject({ [annotations.restart]: 'true' });
});

test('a value that is not valid is refused with a good one', async () => {
  const { code, stderr } = await through(['create', '-f', '-'], nginx('OverrideConfigPort: high'));
  expect(code).toBe(1);
  expect(stderr).toContain('must be a port from 1 to 65535, such as 9002');
});

test('what does not name the fields passes untouched', async () => {
  const created = await through(['create', 'deployment', 'plain', '--image=app', '--replicas=0']);
  expect(created).toMatchObject({ code: 0, stderr: '' });
  const annotated = nginx('')
    .replace('  ConfigRestarts: false #', '  #')
    .replace('name: nginx', 'name: silent');
  const note = annotated.replace('metadata:\n', 'metadata:\n  annotations: {why: no ConfigRestarts here}\n');
  expect(await through(['create', '-f', '-'], note)).toMatchObject({ code: 0, stderr: '' });
  expect(await notesOf('silent')).toBeUndefined();
});
