import type { Lease } from '@trimtab/kube/lease/record.ts';
import { leases, namespaces } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemNamespace } from '../../src/api/names.ts';
import { applyCrd } from '../support/apply-crd.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const lease = 'trimtab-controller-version-test';

beforeAll(async () => {
  const client = await engine.connect();
  await applyCrd(client);
  await client.create(namespaces, { metadata: { name: systemNamespace } }).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const spec = { holderIdentity: 'pod-a', renewTime: new Date().toISOString().replace('Z', '000Z') };
  await client.create<Lease>(leases, { metadata: { name: lease, namespace: systemNamespace }, spec });
});

afterAll(async () => {
  await (await engine.connect()).delete(leases, { namespace: systemNamespace, name: lease }).catch(() => {});
});

const client = /^Client Version: v\d+\.\d+\.\d+( \(commit [0-9a-f]{12}(-dirty)?\))?\n/;

test('version prints this program, Kubernetes, and what of Trimtab runs', async () => {
  const { stdout, stderr, code } = await runTrimtab(engine, ['version']);
  expect(stdout).toMatch(client);
  expect(stdout).toMatch(/\nKubernetes Version: v1\.\d+\.\d+\S*\nTrimtab: installed\n/);
  expect(stdout).toMatch(/\nController: .*pod-a \(renewed \d+s ago\)/);
  expect(stdout).toMatch(/\nGateway: (none|\d+ ready)\n$/);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});

test('--client needs no cluster, and -o is for programs', async () => {
  const alone = await runTrimtab(engine, ['version', '--client'], { kubeconfig: '/nowhere' });
  expect(alone.stdout).toMatch(client);
  expect(alone.stdout.split('\n')).toHaveLength(2);
  const json = await runTrimtab(engine, ['version', '-o', 'json']);
  expect(JSON.parse(json.stdout)).toMatchObject({
    clientVersion: { version: expect.stringMatching(/^v\d/) },
    serverVersion: {
      installed: true,
      controllers: expect.arrayContaining([expect.objectContaining({ lease })]),
    },
  });
  const yaml = await runTrimtab(engine, ['version', '--client', '-o', 'yaml']);
  expect(yaml.stdout).toMatch(/^clientVersion:\n {2}version: v\d/);
});

test('what may not be read is unknown, and without a cluster the client is printed all the same', async () => {
  const kubeconfig = await engine.kubeconfigOf({ user: 'visitor' });
  const denied = await runTrimtab(engine, ['version'], { kubeconfig });
  expect(denied.stdout).toContain(
    `Controller: unknown: you may not list Leases in namespace ${systemNamespace}\n`,
  );
  expect(denied.code).toBe(0);
  const gone = await runTrimtab(engine, ['version', '-s', 'http://127.0.0.1:1']);
  expect(gone.stdout).toMatch(client);
  expect(gone.stderr).toContain('The connection to the server 127.0.0.1:1 was refused');
  expect(gone.code).toBe(1);
});
