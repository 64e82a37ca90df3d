import { expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import { injectObject, type ObjectOptions } from './inject-object.ts';
import { type AnyObject, podTemplateOf } from './pod-template-of.ts';

const options: ObjectOptions = {
  agentImage: 'example.test/agent:1',
  gatewayUrl: 'https://gateway.test',
  envFiles: false,
  podIpFamily: 'IPv4',
  token: 'random',
  versionsIn: (namespace) => (_, name) =>
    namespace !== 'empty' && name === 'foo'
      ? { config: 'foo', version: '1.0.0', object: 'foo-v1' }
      : undefined,
};
const reload = { [annotations.restart]: 'false', [annotations.reload]: 'pull' };
const spec = { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'foo' } }] }] };
const workload = (
  kind: string,
  more: Record<string, string> = {},
  own?: Record<string, string>,
): AnyObject => ({
  kind,
  metadata: { name: 'web', annotations: more },
  spec: {
    replicas: 2,
    template: { metadata: { labels: { app: 'web' }, ...(own && { annotations: own }) }, spec },
  },
});

function injectedTemplate(object: AnyObject) {
  const result = injectObject(object, options);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const template = podTemplateOf(result.object);
  return { ...result, template, agent: template?.spec?.initContainers?.[0]?.name };
}

test.each(['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ReplicationController'])(
  'a %s whose template or own annotation says so',
  (kind) => {
    for (const object of [workload(kind, reload), workload(kind, {}, reload)]) {
      const before = structuredClone(object);
      const { template, agent, environment } = injectedTemplate(object);
      expect(agent).toBe('trimtab-agent');
      expect(template?.metadata?.annotations).toMatchObject({
        ...reload,
        'trimtab.dev/workload': `${kind}/web`,
      });
      expect(environment).toEqual([`${kind}/web: app`]);
      expect(object).toEqual(before);
    }
  },
);

test('a Job and a CronJob, which are no workloads', () => {
  const job = injectedTemplate(workload('Job', reload));
  expect(job.agent).toBe('trimtab-agent');
  expect(job.template?.metadata?.annotations).not.toHaveProperty(annotations.workload);
  const { metadata, spec: jobSpec } = workload('Job', reload);
  const cronJob = { kind: 'CronJob', metadata, spec: { schedule: '@daily', jobTemplate: { spec: jobSpec } } };
  const result = injectedTemplate(cronJob as AnyObject);
  expect(result.agent).toBe('trimtab-agent');
  expect(result.object.spec).toMatchObject({ schedule: '@daily', jobTemplate: { spec: { replicas: 2 } } });
});

test('a Pod, with its token where the cluster has no env files', () => {
  const own = { ...reload, [annotations.tokenEnv]: 'true' };
  const pod = injectedTemplate({ kind: 'Pod', metadata: { name: 'p', annotations: own }, spec } as AnyObject);
  expect(pod.template?.spec?.containers?.[0]?.env).toContainEqual({
    name: 'MY_CONFIG_TOKEN',
    value: 'random',
  });
  const shared = injectedTemplate(workload('Deployment', {}, own));
  expect(JSON.stringify(shared.object)).not.toContain('random');
  expect(shared.warnings).toEqual([
    expect.stringContaining('Deployment/web: Annotation trimtab.dev/token-env'),
  ]);
});

test("the proposal's fields", () => {
  const { metadata, spec: own } = workload('ReplicationController', { [annotations.reload]: 'pull' });
  const object = {
    kind: 'ReplicationController',
    metadata,
    spec: { ...own, ConfigRestarts: false },
  } as AnyObject;
  const result = injectedTemplate(object);
  expect(result.agent).toBe('trimtab-agent');
  expect(result.object.spec).not.toHaveProperty('ConfigRestarts');
});

test('objects that do not want it, or have no pods, are returned as they are', () => {
  for (const object of [workload('Deployment'), { kind: 'Service', spec: {} }, { kind: 'ConfigMap' }])
    expect(injectedTemplate(object).object).toBe(object);
});

test('an injected template is restored when the annotation is removed', () => {
  const { object } = injectedTemplate(workload('Deployment', reload));
  const without = { ...object, metadata: { name: 'web', annotations: {} } };
  expect(injectedTemplate(without).object).toEqual(workload('Deployment'));
});

test('injecting again changes nothing', () => {
  const { object } = injectedTemplate(workload('Deployment', reload));
  expect(injectedTemplate(object).object).toEqual(object);
});

test('all objects of a List, with all their problems', () => {
  const list = { kind: 'List', items: [workload('Deployment', reload), { kind: 'Service' }] };
  const { object } = injectedTemplate(list);
  expect(object.items?.map((item) => podTemplateOf(item)?.spec?.initContainers?.length)).toEqual([
    1,
    undefined,
  ]);
  const bad = [
    workload('Deployment', { [annotations.restart]: 'no' }),
    workload('DaemonSet', {}, { ...reload, [annotations.reload]: 'x' }),
  ];
  expect(injectObject({ kind: 'List', items: bad }, options)).toEqual({
    problems: [
      expect.stringMatching(/^Deployment\/web: Annotation trimtab.dev\/restart/),
      expect.stringMatching(/^DaemonSet\/web: Annotation trimtab.dev\/reload/),
    ],
  });
});

test('only configs that are managed for the object, in its namespace', () => {
  const managed = (manage: string) =>
    injectedTemplate(workload('Deployment', { ...reload, [annotations.manage]: manage }));
  expect(managed('foo').agent).toBe('trimtab-agent');
  expect(managed('true').agent).toBe('trimtab-agent');
  expect(managed('secret/foo,bar').agent).toBeUndefined();
  expect(managed('false').agent).toBeUndefined();
  const elsewhere = workload('Deployment', reload);
  elsewhere.metadata = { ...elsewhere.metadata, namespace: 'empty' };
  expect(injectedTemplate(elsewhere)).toMatchObject({ agent: undefined, warnings: [expect.any(String)] });
});
