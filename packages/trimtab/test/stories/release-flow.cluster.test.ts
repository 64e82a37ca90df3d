import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { pods, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { afterAll, expect, test } from 'vitest';

/** The release flow without Trimtab in the cluster: a script of plain Node.js stamps the manifest, and kubectl applies it. */

const script = path.resolve(import.meta.dirname, '../../../../bin/configMapVersion.js');

const configMap = `apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  database: postgres://in-the-cluster
`;

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
      annotations:
        configMapVersion: "0" # the release script increases it
    spec:
      containers:
      - name: web
        image: nginx:1.29
        envFrom:
        - configMapRef: {name: web}
`;

const engine = await currentEngine();
const folder = await mkdtemp(path.join(tmpdir(), 'release-flow-'));
afterAll(async () => {
  await rm(folder, { recursive: true });
  await engine.close();
});

const file = (name: string) => path.join(folder, name);
const isOf = (version: string) => (object: KubeObject) =>
  object.metadata.annotations?.['configMapVersion'] === version;

test('a new config reaches the pods when the stamped Deployment is applied, and not before', async () => {
  const [, when, then] = await story(engine);
  const apply = async () => {
    const output = await when.kubectl('apply', '-f', file('configmap.yaml'), '-f', file('deployment.yaml'));
    return output.trim().split('\n');
  };
  /** Runs `node bin/configMapVersion.js deployment.yaml`. Returns the number in the file. */
  const stamp = async () => {
    await promisify(execFile)(process.execPath, [script, file('deployment.yaml')]);
    const text = await readFile(file('deployment.yaml'), 'utf8');
    const [, version = ''] = /configMapVersion: "(\d+)"/.exec(text) ?? [];
    expect(text).toBe(deployment.replace('"0"', `"${version}"`));
    return version;
  };
  const allPodsAreOf = (version: string) =>
    then.eventuallyAll(
      `both pods are of ${version}`,
      pods,
      (all) => all.length === 2 && all.every(isOf(version)),
      'app=web',
    );
  const setsAre = (count: number) =>
    then.eventuallyAll(`${count} ReplicaSets`, replicaSets, (all) => all.length === count, 'app=web');

  await writeFile(file('configmap.yaml'), configMap);
  await writeFile(file('deployment.yaml'), deployment);
  await apply();
  await allPodsAreOf('0');

  // The managed database replaces the one in the cluster.
  await writeFile(file('configmap.yaml'), configMap.replace('in-the-cluster', 'managed.example'));
  expect(await apply()).toEqual(['configmap/web configured', 'deployment.apps/web unchanged']);
  await setsAre(1);

  const first = await stamp();
  expect(await apply()).toEqual(['configmap/web unchanged', 'deployment.apps/web configured']);
  await when.kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  await allPodsAreOf(first);
  await setsAre(2);
  expect(await apply()).toEqual(['configmap/web unchanged', 'deployment.apps/web unchanged']);

  // Twice in a second, the number still increases.
  const [second, third] = [await stamp(), await stamp()];
  expect(Number(second)).toBeGreaterThan(Number(first));
  expect(Number(third)).toBeGreaterThan(Number(second));
  await apply();
  await allPodsAreOf(third);
  await setsAre(3);
});
