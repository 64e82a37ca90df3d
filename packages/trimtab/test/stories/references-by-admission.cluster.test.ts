import { configMaps, deployments, events, pods, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, type Templated } from '@trimtab/test-bed/objects/pod-template.ts';
import { resourceOf } from '@trimtab/test-bed/objects/resources.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import type { PodTemplate } from '../../src/api/pod-template.ts';
import { installation } from '../../src/controller/manifests/installation.ts';
import { guardPods, podPolicies } from '../../src/controller/manifests/pod-policies.ts';
import { findReferences } from '../../src/core/references/references.ts';
import { assignedPod, podsAreRefused } from '../support/assigned-pod.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { podsAreRewritten, podsGetVersions } from '../support/reference-ways.ts';
import { type Preparation, ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

/** The controller observes every 30 s, and what worked before has to be missing for as long. */
const untilMissingMs = 65_000;

const engine = await currentEngine();
afterAll(() => engine.close());

const byAdmission = annotated({ [annotations.references]: 'admission' });
const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);

/** A controller whose workloads name versions in their templates unless they say otherwise. */
const rewritingPods: Preparation = async (namespace) => ({
  options: { flags: ['--mutating-policies'] },
  undo: await podsAreRewritten(engine, namespace),
});

const written = ({ spec }: Templated) => findReferences(spec.template).map(({ name }) => name);
const assigned = ({ spec }: Templated) => spec.template.metadata?.annotations?.[annotations.versions];

test('a workload changes to the other way and back: one rolling update each, and no version', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const first = await settled(it, '1.0.0', ['web']);
  const object = first.status?.current?.object ?? '';
  const revisions = async () => {
    const { items } = await it.client.list(replicaSets, { namespace: it.namespace });
    return items.length;
  };
  const changed = async (way: string | null, expected: { written: string; assigned?: string }) => {
    await it.annotates(deployments, 'web', { [annotations.references]: way });
    const after = await it.eventually<Deployment>(`web is written by ${way}`, deployments, 'web', (now) =>
      written(now).every((name) => name === expected.written),
    );
    expect(assigned(after)).toBe(expected.assigned);
    await settled(it, '1.0.0', ['web']);
  };
  const before = await revisions();
  await changed('admission', { written: 'foo', assigned: `configmap/foo=${object}` });
  await podsRun(it, 'web', object);
  expect(await revisions()).toBe(before + 1);
  await changed(null, { written: object });
  // The template is the one of the first revision again.
  expect(await revisions()).toBe(before + 1);
  expect([...(await it.copies()).keys()]).toEqual(['1.0.0']);
});

test('kubectl rollout undo brings back the versions of the annotation, and pins them', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  const blue = (await settled(it, '1.0.0', ['web'])).status?.current?.object ?? '';
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await it.when.kubectl('rollout', 'undo', 'deployment/web');
  const pinned = await it.rolloutIs(
    'web is pinned',
    (status) => conditionOf({ status }, 'Ready')?.reason === 'Pinned',
  );
  expect(conditionOf(pinned, 'Ready')?.message).toContain('Deployment web');
  const undone = await it.object<Deployment>(deployments, 'web');
  expect([written(undone), assigned(undone)]).toEqual([['foo'], `configmap/foo=${blue}`]);
  await podsRun(it, 'web', blue);
});

test('what is no version of the config is told in a condition, and a value that is not valid is repaired', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo', 'bar']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('bar', { shape: 'round' }),
    deploymentInAdmission(),
    deployment('api', mountingConfigMap('bar', '/etc/bar'), managed, runningTheApp),
  );
  const { status } = await settled(it, '1.0.0', ['web']);
  const other = (await it.isCurrent('1.0.0', 'configmap-bar')).status?.current?.object;
  await setVersions(it, `configmap/foo=${other}`);
  const told = await it.rolloutIs(
    'a condition tells',
    (now) => conditionOf({ status: now }, 'VersionsInvalid')?.status === 'True',
  );
  expect(conditionOf(told, 'VersionsInvalid')?.message).toContain(
    `Deployment web: annotation trimtab.dev/versions of its pod template names "${other}", which is not a version of ConfigMap foo`,
  );
  await setVersions(it, 'configmap/foo=nothing');
  await it.rolloutIs(
    'the condition names what does not exist',
    (now) =>
      conditionOf({ status: now }, 'VersionsInvalid')?.message.includes(
        'names "nothing", which does not exist',
      ) === true,
  );
  await setVersions(it, 'nonsense');
  await it.eventually<Deployment>(
    'the annotation is repaired',
    deployments,
    'web',
    (now) => assigned(now) === `configmap/foo=${status?.current?.object}`,
  );
  await settled(it, '1.0.0', ['web']);
});

test('a manifest that names the current version keeps it after one repair: its owner applies it again and again', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  const object = (await settled(it, '1.0.0', ['web'])).status?.current?.object ?? '';
  const isWritten = (what: string, name: string) =>
    it.eventually<Deployment>(what, deployments, 'web', (now) => written(now).every((each) => each === name));
  await namesInTemplate(it, object);
  await isWritten('web is repaired', 'foo');
  await namesInTemplate(it, object);
  await it.eventuallyAll<KubeObject & { reason?: string }>('an event tells', events, (items) =>
    items.some(({ reason }) => reason === 'VersionsKeptInTemplate'),
  );
  await settled(it, '1.0.0', ['web']);
  expect(written(await it.object<Deployment>(deployments, 'web'))).toEqual([object]);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  await isWritten('the next version is assigned by admission', 'foo');
});

test('where nothing would write versions into pods, the template names them, and a condition says why', async () => {
  await using it = await ReleaseStory.start(engine, async () => ({
    options: { flags: ['--references', 'template'] },
    undo: async () => {},
  }));
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  const { status } = await settled(it, '1.0.0', ['web']);
  expect(written(await it.object<Deployment>(deployments, 'web'))).toEqual([status?.current?.object]);
  const told = await it.rolloutIs(
    'a condition tells',
    (now) => conditionOf({ status: now }, 'AdmissionUnavailable')?.status === 'True',
  );
  expect(conditionOf(told, 'AdmissionUnavailable')).toMatchObject({
    reason: 'PodsNotRewritten',
    message: expect.stringContaining('--mutating-policies'),
  });
});

test('flags alone do not assign versions by admission: without the policies, the template names them', async () => {
  let install = async () => async () => {};
  let uninstall = async () => {};
  await using it = await ReleaseStory.start(engine, async (namespace) => {
    install = () => podsAreRewritten(engine, namespace);
    return {
      options: { flags: ['--references', 'admission', '--mutating-policies'] },
      undo: () => uninstall(),
    };
  });
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  const { status } = await settled(it, '1.0.0', ['web']);
  const object = status?.current?.object ?? '';
  const before = await it.object<Deployment>(deployments, 'web');
  expect([written(before), assigned(before)]).toEqual([[object], undefined]);
  const { prefix } = installation({ namespaces: [it.namespace] });
  const told = await it.rolloutIs(
    'a condition tells',
    (now) => conditionOf({ status: now }, 'AdmissionUnavailable')?.status === 'True',
  );
  expect(conditionOf(told, 'AdmissionUnavailable')?.message).toContain(
    `the pods of Deployment web, as trimtab.dev/references requests: ValidatingAdmissionPolicy ${prefix}-pod-references does not exist`,
  );

  await it.controllerRestarts(async () => {
    uninstall = await install();
  });
  await it.eventually<Deployment>('admission assigns the version', deployments, 'web', (now) =>
    written(now).every((name) => name === 'foo'),
  );
  await podsRun(it, 'web', object);
  await it.rolloutIs(
    'the condition is gone',
    (now) => conditionOf({ status: now }, 'AdmissionUnavailable') === undefined,
  );
});

test('what is missing while a controller starts costs no rolling update', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  await settled(it, '1.0.0', ['web']);
  const templates = async () => {
    const { items } = await it.client.list<KubeObject & Templated>(replicaSets, { namespace: it.namespace });
    return items.map(written);
  };
  const before = await templates();
  const policies = podPolicies(installation({ namespaces: [it.namespace] }));
  await it.controllerRestarts(() => removeObjects(it.client, policies));
  await applyObjects(it.client, policies);
  await podsGetVersions(it.client, it.namespace);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect(await templates()).toEqual([...before, ['foo']]);
});

test('a pod that reads the live config although a version is assigned to it is named', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  const { status } = await settled(it, '1.0.0', ['web']);
  const object = status?.current?.object ?? '';
  const policies = [
    ...guardPods(installation({ namespaces: [it.namespace] })),
    ...podPolicies(installation({ namespaces: [it.namespace] })),
  ];
  await removeObjects(it.client, policies);
  await waitFor('pods are admitted as they are', async () => {
    const answer = await it.client
      .create<KubeObject & PodTemplate>(pods, assignedPod(it.namespace, object), { dryRun: true })
      .then(
        ({ spec }) => spec?.volumes?.[0]?.configMap?.name,
        (error: Error) => error.message,
      );
    return answer === 'foo' ? { met: true } : { seen: answer ?? 'nothing' };
  });
  await it.when.kubectl('delete', 'pod', '--selector=app=web');
  const [live] = await podsRun(it, 'web', 'foo');
  const told = await it.rolloutIs(
    'a condition tells',
    (now) => conditionOf({ status: now }, 'AdmissionUnavailable')?.status === 'True',
  );
  expect(conditionOf(told, 'AdmissionUnavailable')).toMatchObject({
    reason: 'PodsNotRewritten',
    message: expect.stringContaining(`Pod ${live?.metadata.name}: reads the live ConfigMap foo`),
  });

  await applyObjects(it.client, policies);
  await podsGetVersions(it.client, it.namespace);
  await it.when.kubectl('delete', 'pod', '--selector=app=web');
  await podsRun(it, 'web', object);
  await it.rolloutIs(
    'the condition is gone',
    (now) => conditionOf({ status: now }, 'AdmissionUnavailable') === undefined,
  );
});

test('a missing policy keeps new pods from the live config: they are refused, and the old ones run on', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
  const { status } = await settled(it, '1.0.0', ['web']);
  const object = status?.current?.object ?? '';
  const policies = podPolicies(installation({ namespaces: [it.namespace] }));
  await removeObjects(it.client, policies);
  await podsAreRefused(it, object);
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.strategyIs({ progressDeadlineSeconds: 2 });
  await it.rolloutIs('the refusal is told', (now) =>
    JSON.stringify(now.conditions).includes('nothing has written them into it'),
  );
  await podsRun(it, 'web', object);

  await applyObjects(it.client, policies);
  await it.hasTime();
  await settled(it, '1.0.1', ['web']);
});

test('where the policy stays away, templates name the versions, also in an activation and in a parked one', async () => {
  await using it = await ReleaseStory.start(engine, rewritingPods);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo', 'bar']);
  const api = deployment('api', mountingConfigMap('bar', '/etc/bar'), managed, byAdmission, runningTheApp);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configMap('bar', { shape: 'round' }),
    deploymentInAdmission(),
    api,
  );
  const { status } = await settled(it, '1.0.0', ['web']);
  await it.isCurrent('1.0.0', 'configmap-bar');
  await removeObjects(it.client, podPolicies(installation({ namespaces: [it.namespace] })));
  await podsAreRefused(it, status?.current?.object ?? '');
  await it.strategyIs({ progressDeadlineSeconds: 2 });
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await it.when.edited(configMaps, 'bar', withData({ shape: 'square' }));
  await it.rolloutIs('the activation of foo is parked', ({ phase }) => phase === 'Parked');
  await it.rolloutIs('bar is being current', ({ phase }) => phase === 'BeingCurrent', 'configmap-bar');
  const namesVersions = async (name: string) => {
    const names = written(await it.object<Deployment>(deployments, name));
    return names.some((each) => ['foo', 'bar'].includes(each))
      ? { seen: names.join() }
      : { met: true as const };
  };
  for (const name of ['web', 'api'])
    await waitFor(`${name} names its version`, () => namesVersions(name), {
      timeoutMs: 2 * untilMissingMs,
    });
  await it.hasTime();
  const foo = await settled(it, '1.0.1', ['web']);
  await podsRun(it, 'web', foo.status?.current?.object);
  const bar = await it.isCurrent('1.0.1', 'configmap-bar');
  await podsRun(it, 'api', bar.status?.current?.object);
  expect(conditionOf(foo, 'AdmissionUnavailable')?.message).toContain(
    'Its pod template names the versions instead',
  );
}, 180_000);

test('while the webhook of pods is away, pods with assigned versions are refused, and others are admitted', async () => {
  await using it = await installedStory(engine);
  const create = (created: KubeObject) =>
    it.client.create<KubeObject & PodTemplate>(pods, created, { dryRun: true }).then(
      (made) => findReferences(made)[0]?.name ?? 'nothing',
      (error: Error) => error.message,
    );
  const answers = async (what: string, text: string) =>
    waitFor(what, async () => {
      const answer = await create(assignedPod(it.namespace, 'foo-1'));
      return answer.includes(text) ? { met: true } : { seen: answer };
    });
  await answers('the webhook writes versions into pods', 'foo-1');
  const { webhookConfiguration: name, webhooks } = installation({ namespaces: [it.namespace] });
  const webhookConfigurations = resourceOf({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: {},
  });
  const registered = await it.client.get<KubeObject & { webhooks: { name: string }[] }>(
    webhookConfigurations,
    { name },
  );
  const index = registered.webhooks.findIndex((each) => each.name === webhooks.podReferences);
  const path = `/webhooks/${index}/clientConfig/url`;
  const operations = [{ op: 'replace' as const, path, value: 'https://127.0.0.1:1/mutate-pod-references' }];
  await it.client.patch(webhookConfigurations, { name }, { type: 'json', operations });
  await answers('the pod is refused', 'failed calling webhook');
  const { spec } = assignedPod(it.namespace, 'foo-1');
  expect(await create(pod(it.namespace, spec))).toBe('foo');
});

describe('the policies of pods', () => {
  const everywhere: PodTemplate['spec'] = {
    volumes: [
      { name: 'a', configMap: { name: 'foo' } },
      { name: 'b', secret: { secretName: 'bar' } },
      { name: 'c', projected: { sources: [{ configMap: { name: 'foo' } }, { secret: { name: 'bar' } }] } },
      { name: 'd', configMap: { name: 'baz' } },
      { name: 'e', emptyDir: {} },
    ],
    initContainers: [
      { ...container('init'), envFrom: [{ configMapRef: { name: 'foo' } }] },
      {
        ...container('sidecar'),
        restartPolicy: 'Always',
        env: [{ name: 'B', valueFrom: { secretKeyRef: { name: 'bar', key: 'b' } } }],
      },
    ],
    containers: [
      {
        ...container('app'),
        env: [
          { name: 'PLAIN', value: 'x' },
          { name: 'A', valueFrom: { configMapKeyRef: { name: 'foo', key: 'a' } } },
        ],
        envFrom: [{ secretRef: { name: 'bar' } }, { configMapRef: { name: 'baz' } }],
      },
      container('plain'),
    ],
  };
  const versions = 'configmap/foo=foo-1,secret/bar=bar-2';

  test('write the assigned versions wherever a pod names a config, and nothing else', async () => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    const created = await it.client.create<KubeObject & PodTemplate>(
      pods,
      pod(it.namespace, everywhere, { [annotations.versions]: versions }),
      { dryRun: true },
    );
    const to: Record<string, string> = { foo: 'foo-1', bar: 'bar-2' };
    expect(withoutRootCa(created).map(({ kind, name, pointer }) => [kind, pointer, name])).toEqual(
      findReferences({ spec: everywhere }).map(({ kind, name, pointer }) => [
        kind,
        pointer,
        to[name] ?? name,
      ]),
    );
    const plain = await it.client.create<KubeObject & PodTemplate>(pods, pod(it.namespace, everywhere), {
      dryRun: true,
    });
    expect(withoutRootCa(plain)).toEqual(findReferences({ spec: everywhere }));
  });

  test.each(['nonsense', '', 'configmap/foo', 'configmap/foo=a=b', 'configmap/foo=foo-1,'])(
    'refuse a pod whose annotation is not valid: %j',
    async (text) => {
      await using it = await ReleaseStory.start(engine, rewritingPods);
      const creating = it.client.create(
        pods,
        pod(it.namespace, everywhere, { [annotations.versions]: text }),
        {
          dryRun: true,
        },
      );
      await expect(creating).rejects.toThrow(/annotation trimtab.dev\/versions of the pod is not valid/);
    },
  );

  test.each([
    ['as they are written for Kubernetes before 1.36', false],
    ['with the mutating policies', true],
  ])('refuse a pod whose annotation names a config twice, %s', async (_, mutatingPolicies) => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    await applyObjects(
      it.client,
      guardPods(installation({ namespaces: [it.namespace] }), { mutatingPolicies }),
    );
    const twice = `${versions},configmap/foo=foo-3`;
    const creating = () =>
      it.client.create(pods, pod(it.namespace, everywhere, { [annotations.versions]: twice }), {
        dryRun: true,
      });
    await expect(creating()).rejects.toThrow(
      /annotation trimtab.dev\/versions of the pod assigns more than one version to a config/,
    );
  });

  test('admit a pod with many versions and many references', async () => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    const count = 20;
    const names = Array.from({ length: count }, (_each, index) => `config-${index}`);
    const large: PodTemplate['spec'] = {
      containers: names.map((name) => ({
        ...container(name),
        env: names.map((config, index) => ({
          name: `V${index}`,
          valueFrom: { configMapKeyRef: { name: config, key: 'a' } },
        })),
      })),
    };
    const text = names.map((name) => `configmap/${name}=${name}-v`).join(',');
    const created = await it.client.create<KubeObject & PodTemplate>(
      pods,
      pod(it.namespace, large, { [annotations.versions]: text }),
      { dryRun: true },
    );
    const found = withoutRootCa(created);
    expect(found).toHaveLength(count * count);
    expect(found.every(({ name }) => name.endsWith('-v'))).toBe(true);
  });

  test('write them into debug containers, too', async () => {
    await using it = await ReleaseStory.start(engine, rewritingPods);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await it.given.objects(configMap('foo', { color: 'blue' }), deploymentInAdmission());
    const { status } = await settled(it, '1.0.0', ['web']);
    const [found] = await podsRun(it, 'web', status?.current?.object);
    const debug = { ...container('debug'), envFrom: [{ configMapRef: { name: 'foo' } }] };
    const body = JSON.stringify({ spec: { ephemeralContainers: [debug] } });
    await it.when.kubectl(
      'patch',
      `pod/${found?.metadata.name}`,
      '--subresource=ephemeralcontainers',
      '--type=strategic',
      `--patch=${body}`,
    );
    const now = await it.object<KubeObject & PodTemplate>(pods, found?.metadata.name ?? '');
    const { ephemeralContainers = [] } = now.spec ?? {};
    expect(findReferences({ spec: { ephemeralContainers } })).toMatchObject([
      { kind: 'ConfigMap', name: status?.current?.object },
    ]);
  });
});

function deploymentInAdmission(): Deployment {
  return deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, byAdmission, runningTheApp);
}

/** The API server adds a volume with the certificates of the cluster. */
function withoutRootCa(created: PodTemplate) {
  return findReferences(created).filter(({ name }) => name !== 'kube-root-ca.crt');
}

function container(name: string) {
  return { name, image: 'registry.example/app:1' };
}

function pod(namespace: string, spec: PodTemplate['spec'], notes?: Record<string, string>): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'probe', namespace, ...(notes && { annotations: notes }) },
    spec,
  } as KubeObject;
}

async function setVersions(it: ReleaseStory, text: string): Promise<void> {
  await it.client.patch(
    deployments,
    { namespace: it.namespace, name: 'web' },
    {
      type: 'merge',
      body: { spec: { template: { metadata: { annotations: { [annotations.versions]: text } } } } },
    },
  );
}

/** The owner of the workload applies a manifest that names this version. */
async function namesInTemplate(it: ReleaseStory, object: string): Promise<void> {
  const template = {
    metadata: { annotations: { [annotations.versions]: null } },
    spec: { volumes: [{ name: 'configmap-foo', configMap: { name: object } }] },
  };
  await it.client.patch(
    deployments,
    { namespace: it.namespace, name: 'web' },
    { type: 'strategic', body: { spec: { template } } },
  );
}
