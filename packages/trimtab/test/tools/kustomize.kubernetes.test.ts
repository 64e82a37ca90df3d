import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps, deployments, replicaSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type KubectlResult, kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import type { ConfigMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromKey,
  mountingConfigMap,
  mountingSecret,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { labels } from '../../src/api/names.ts';
import { configRollout } from '../support/config-rollout.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { podsRun } from '../support/mounted-versions.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { usualWay } from '../support/reference-ways.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const timeout = 120_000;
const partOf = { 'app.kubernetes.io/part-of': 'shop' };
const fixedNames = { disableNameSuffixHash: true };

/** A folder with a kustomization that generates ConfigMap foo and Secret bar for Deployment web. */
class Kustomization implements AsyncDisposable {
  readonly #folder: string;
  readonly #namespace: string;

  private constructor(folder: string, namespace: string) {
    this.#folder = folder;
    this.#namespace = namespace;
  }

  static async of(it: ReleaseStory): Promise<Kustomization> {
    return new Kustomization(await mkdtemp(path.join(tmpdir(), 'kustomize-')), it.namespace);
  }

  /** Replaces the kustomization, as a commit does. */
  async commit(data: Record<string, string>, changes: object = {}): Promise<void> {
    const web = deployment(
      'web',
      mountingConfigMap('foo', '/etc/foo'),
      mountingSecret('bar', '/etc/bar'),
      envFromConfigMap('foo'),
      envFromKey('COLOR', 'foo', 'color'),
      managed,
      runningTheApp,
    );
    const literals = Object.entries({ color: 'blue', ...data }).map(([key, value]) => `${key}=${value}`);
    await this.writes('web.json', web);
    await this.writes('kustomization.yaml', {
      resources: ['web.json'],
      labels: [{ pairs: partOf, includeTemplates: true }],
      generatorOptions: fixedNames,
      configMapGenerator: [{ name: 'foo', literals }],
      secretGenerator: [{ name: 'bar', literals: ['token=a'] }],
      ...changes,
    });
  }

  writes(file: string, content: object): Promise<void> {
    return writeFile(path.join(this.#folder, file), JSON.stringify(content));
  }

  /** Runs a command of kubectl for the kustomization. A non-zero exit code does not throw. */
  try(command: string, ...flags: string[]): Promise<KubectlResult> {
    const env = { KUBECTL_APPLYSET: 'true' };
    return kubectl(engine, [command, '-k', this.#folder, ...flags], { namespace: this.#namespace, env });
  }

  async apply(...flags: string[]): Promise<KubectlResult> {
    const result = await this.try('apply', ...flags);
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).not.toMatch(/conflict/i);
    return result;
  }

  /** The lines of `kubectl diff` that differ. */
  async differences(...flags: string[]): Promise<string[]> {
    const { code, stdout, stderr } = await this.try('diff', ...flags);
    expect(code, stderr).toBeLessThan(2);
    const lines = stdout.split('\n').filter((line) => /^[-+](?![-+])/.test(line));
    return lines.map((line) => line.replace(/\s+/, ' '));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true });
  }
}

/** A number that grows with each change of the workload, and the number of its rolling updates. */
async function changesOf({ client, namespace }: ReleaseStory) {
  const { metadata } = await client.get(deployments, { namespace, name: 'web' });
  const { items } = await client.list(replicaSets, { namespace });
  return { generation: metadata.generation, revisions: items.length };
}

/** All ConfigMaps with a label. */
async function withLabel({ client, namespace }: ReleaseStory, label: string): Promise<string[]> {
  const { items } = await client.list<KubeObject>(configMaps, { namespace, labelSelector: label });
  return items.map(({ metadata }) => metadata.name ?? '').sort();
}

describe.each([
  ['client-side', []],
  ['server-side', ['--server-side']],
])('kubectl apply -k, %s', (_, side) => {
  test('releases an edit once, shows no difference afterwards, and changes nothing when it is repeated', {
    timeout,
  }, async () => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using shop = await Kustomization.of(it);
    await it.shortBake(['foo', 'secret/bar']);
    await shop.commit({ color: 'blue' });
    await shop.apply(...side);
    await settled(it, '1.0.0', ['web']);
    expect(await shop.differences(...side)).toEqual([]);

    await shop.commit({ color: 'green' });
    expect(await shop.differences(...side)).toEqual(['- color: blue', '+ color: green']);
    await shop.apply(...side);
    const green = await settled(it, '1.0.1', ['web']);
    await podsRun(it, 'web', green.status?.current?.object);
    expect(await shop.differences(...side)).toEqual([]);
    const before = await changesOf(it);
    expect(before.revisions).toBe(2);
    for (let times = 0; times < 5; times++) await shop.apply(...side);
    expect(await changesOf(it)).toEqual(before);

    await shop.commit({ color: 'red', web: 'crash-loop' });
    await shop.apply(...side);
    await isRolledBack(it, '1.0.2');
    await podsRun(it, 'web', green.status?.current?.object);
    const rolledBack = await changesOf(it);
    await shop.apply(...side);
    expect(await changesOf(it), 'rejected content is not tried again').toEqual(rolledBack);
    expect(await shop.differences(...side)).toEqual([]);

    await shop.commit({ color: 'green' });
    await shop.apply(...side);
    await settled(it, '1.0.1', ['web']);
    expect([...(await it.copies()).keys()].sort()).toEqual(['1.0.0', '1.0.1', '1.0.2']);
  });
});

// kubectl prunes by label only what it has applied client-side.
test.each([
  ['a label selector', ['--selector=app.kubernetes.io/part-of=shop']],
  ['an ApplySet', ['--applyset=configmaps/shop']],
  ['an ApplySet, server-side,', ['--applyset=configmaps/shop', '--server-side']],
])(
  'kubectl apply -k --prune with %s takes the config that is gone, and no version',
  { timeout },
  async (_, how) => {
    await using it = await installedStory(engine);
    await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
    await using shop = await Kustomization.of(it);
    await it.shortBake(['foo', 'secret/bar']);
    for (const [index, color] of ['blue', 'green'].entries()) {
      await shop.commit({ color });
      await shop.apply('--prune', ...how);
      await settled(it, `1.0.${index}`, ['web']);
    }
    const { status } = await settled(it, '1.0.1', ['web']);
    expect((await it.copies()).size).toBe(2);
    expect(await withLabel(it, 'app.kubernetes.io/part-of=shop')).toEqual(['foo']);
    expect(await withLabel(it, 'applyset.kubernetes.io/part-of'), 'members of the ApplySet').toEqual(
      how.includes('--applyset=configmaps/shop') ? ['foo'] : [],
    );

    const before = await changesOf(it);
    await shop.commit({ color: 'green' }, { configMapGenerator: [] });
    const { stdout } = await shop.apply('--prune', ...how);
    expect(stdout.split('\n').filter((line) => line.endsWith('pruned'))).toEqual(['configmap/foo pruned']);
    await it.eventuallyGone(configMaps, 'foo');
    expect((await it.copies()).size).toBe(2);
    await podsRun(it, 'web', status?.current?.object);
    expect(await changesOf(it)).toEqual(before);

    await shop.commit({ color: 'yellow' });
    await shop.apply('--prune', ...how);
    await settled(it, '1.0.2', ['web']);
  },
);

test('labels of a kustomization, also in selectors, end in no version', { timeout }, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using shop = await Kustomization.of(it);
  await it.shortBake(['foo', 'secret/bar']);
  const commonLabels = { team: 'shop', ...partOf };
  for (const [index, color] of ['blue', 'green'].entries()) {
    await shop.commit({ color }, { labels: [{ pairs: commonLabels, includeSelectors: true }] });
    await shop.apply();
    await settled(it, `1.0.${index}`, ['web']);
  }
  expect(await withLabel(it, 'team=shop')).toEqual(['foo']);
  for (const { metadata } of (await it.copies()).values())
    expect(Object.keys(metadata.labels ?? {}).every((name) => name.startsWith('trimtab.dev/'))).toBe(true);
  const { spec } = await it.object<Deployment>(deployments, 'web');
  expect(spec.selector.matchLabels).toMatchObject(commonLabels);
});

test('with a hash in its name, each change leaves a config, and one that fails is not rolled back', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using shop = await Kustomization.of(it);
  const hashed = {
    generatorOptions: {},
    secretGenerator: [{ name: 'bar', literals: ['token=a'], options: fixedNames }],
  };
  const generated = async () =>
    (
      await it.client.list<ConfigMap>(configMaps, {
        namespace: it.namespace,
        labelSelector: 'app.kubernetes.io/part-of=shop',
      })
    ).items;
  const named = async (color: string) =>
    (await generated()).find(({ data }) => data?.['color'] === color)?.metadata.name ?? '';
  await shop.commit({ color: 'blue' }, hashed);
  await shop.apply();
  await settled(it, '1.0.0', ['web'], `configmap-${await named('blue')}`);

  await shop.commit({ color: 'red', web: 'crash-loop' }, hashed);
  const { stderr } = await shop.apply();
  expect(stderr).toContain(
    `Warning: trimtab: ConfigMap ${await named('red')} replaces ${await named('blue')}: a new config for Trimtab, neither judged nor rolled back`,
  );
  const bad = await it.isCurrent('1.0.0', `configmap-${await named('red')}`);
  expect(bad.status?.history).toEqual([]);
  expect(await generated()).toHaveLength(2);
});

test('a prefix renames the config and its references, and a replacement the list of managed configs', {
  timeout,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using shop = await Kustomization.of(it);
  await it.shortBake(['prod-foo']);
  const prefixed = {
    namePrefix: 'prod-',
    patches: [
      {
        target: { kind: 'Deployment' },
        patch: JSON.stringify([
          { op: 'replace', path: '/metadata/annotations/trimtab.dev~1manage', value: 'foo' },
        ]),
      },
    ],
  };
  const replaced = {
    ...prefixed,
    replacements: [
      {
        source: { kind: 'ConfigMap', name: 'foo' },
        targets: [
          { select: { kind: 'Deployment' }, fieldPaths: ['metadata.annotations.[trimtab.dev/manage]'] },
        ],
      },
    ],
  };
  await shop.commit({ color: 'blue' }, prefixed);
  await shop.apply();
  await it.eventuallyEvent(
    'the list is not renamed',
    'Deployment',
    'prod-web',
    ({ reason, message }) => reason === 'InvalidAnnotation' && message.includes('foo'),
  );

  for (const [index, color] of ['blue', 'green'].entries()) {
    await shop.commit({ color }, replaced);
    await shop.apply();
    await settled(it, `1.0.${index}`, ['prod-web'], 'configmap-prod-foo');
  }

  await shop.writes('rollout.json', configRollout('foo'));
  await shop.commit({ color: 'green' }, { ...replaced, resources: ['web.json', 'rollout.json'] });
  const refused = await shop.try('apply');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('"prod-configmap-foo" is invalid');
});

test('without the webhook, a comparison shows versions only where templates name them', {
  timeout,
}, async () => {
  await using it = await ReleaseStory.start(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using shop = await Kustomization.of(it);
  await it.shortBake(['foo', 'secret/bar']);
  await shop.commit({ color: 'blue' });
  await shop.apply();
  const { status } = await settled(it, '1.0.0', ['web']);
  await settled(it, '1.0.0', ['web'], 'secret-bar');
  const differences = await shop.differences();
  if (usualWay === 'admission') expect(differences).toEqual([]);
  else expect(differences).toContain(`- name: ${status?.current?.object}`);

  // What is applied again is repaired.
  await shop.apply();
  await podsRun(it, 'web', status?.current?.object);
  await settled(it, '1.0.0', ['web']);
});

test('deleting a kustomization leaves nothing of Trimtab behind', { timeout }, async () => {
  await using it = await installedStory(engine, ['--remove-unused-after', '1s']);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using shop = await Kustomization.of(it);
  await it.shortBake(['foo', 'secret/bar']);
  await shop.commit({ color: 'blue' });
  await shop.apply('--server-side');
  await settled(it, '1.0.0', ['web']);
  const { code, stderr } = await shop.try('delete');
  expect(code, stderr).toBe(0);
  for (const name of ['configmap-foo', 'secret-bar']) await it.eventuallyGone(configRollouts, name);
  await it.eventuallyAll('no version is left', configMaps, (all) => all.length === 0, `${labels.config}=foo`);
});
