import { execFile } from 'node:child_process';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { injected } from '../../src/api/injected-pod.ts';
import { annotations } from '../../src/api/names.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { trimtabCommand } from '../support/trimtab-command.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** The manifest of the proposal, with a template that mounts a config. */
const controller = `
apiVersion: v1
kind: ReplicationController
metadata:
  name: nginx
spec:
  ConfigRestarts: false
  OverrideConfigPort: 9002
  replicas: 2
  template:
    metadata: {labels: {app: nginx}}
    spec:
      containers:
      - name: nginx
        image: nginx
        volumeMounts: [{name: foo, mountPath: /etc/foo}]
      volumes: [{name: foo, configMap: {name: foo}}]
`;

function inject(
  stdin: string,
  ...flags: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const [file, args] = trimtabCommand(['inject', '-f', '-', '--agent-image', 'trimtab-agent', ...flags]);
  return new Promise((resolve) => {
    const child = execFile(file, args, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.end(stdin);
  });
}

test('trimtab inject turns the proposal’s fields into annotations, and adds the agent', async () => {
  const { code, stdout } = await inject(controller, '--offline');
  expect(code).toBe(0);
  const { spec } = parse(stdout);
  expect(spec).not.toHaveProperty('ConfigRestarts');
  expect(spec.template.metadata.annotations).toMatchObject({
    [annotations.restart]: 'false',
    [annotations.configPort]: '9002',
  });
  const [agent] = spec.template.spec.initContainers;
  expect(agent).toMatchObject({ name: injected.container, image: 'trimtab-agent', restartPolicy: 'Always' });
  const endpoint = spec.template.spec.containers[0].env.find(
    ({ name }: { name: string }) => name === 'MY_CONFIG_ENDPOINT',
  );
  expect(endpoint.value).toMatch(/^https:\/\/\$\(\w+\):9002\/config$/);
});

test('with a cluster it names the current version, and the API server accepts the result', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }));
  const { status } = await it.isCurrent('1.0.0');
  const flags = ['--kubeconfig', engine.kubeconfig, '--namespace', it.namespace];
  const { code, stdout } = await inject(controller, ...flags);
  expect(code).toBe(0);
  expect(stdout).toContain(status?.current?.object);
  const { spec } = parse(stdout).spec.template;
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'nginx', namespace: it.namespace }, spec };
  await it.client.create(pods, pod as KubeObject, { dryRun: true });
});

test('other objects pass, in order; what is wrong is said at once, and nothing is printed', async () => {
  const others = `kind: Service\napiVersion: v1\nmetadata: {name: web}\n---\n${controller}`;
  const { stdout } = await inject(others, '--offline');
  expect(parseAllDocuments(stdout).map((each) => each.toJS().kind)).toEqual([
    'Service',
    'ReplicationController',
  ]);
  const bad = controller.replace('9002', 'high').replace('ConfigRestarts: false', 'ConfigRestarts: maybe');
  const failed = await inject(bad, '--offline');
  expect(failed).toMatchObject({ stdout: '', code: expect.any(Number) });
  expect(failed.code).not.toBe(0);
  expect(failed.stderr).toContain('such as 9002');
  expect(failed.stderr).toContain('must be true or false');
});
