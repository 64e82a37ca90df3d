import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deployments, type Resource, replicaSets, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { type AnnotationRow, annotationRows } from '../support/from-reloader-rows.ts';
import {
  all,
  auto,
  configs,
  edit,
  inTemplate,
  isIgnored,
  isManaged,
  managedFor,
  mountsAll,
  type Names,
  optsIn,
  quickly,
  reloader,
  told,
  webMounts,
} from '../support/from-reloader-scene.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { mountedConfigMap, ReleaseStory } from '../support/release-story.ts';
import { runGuide } from '../support/run-guide.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
/** The rows about annotations share a controller. Each of them has its own objects, whose names begin with its number. */
let shared: ReleaseStory;
beforeAll(async () => {
  shared = await ReleaseStory.start(engine, { flags: ['--reloader-annotations'] });
});
afterAll(async () => {
  await shared?.[Symbol.asyncDispose]();
  await engine.close();
});

const stories: Record<AnnotationRow, (it: ReleaseStory, its: Names) => Promise<void>> = {
  async '`reloader.stakater.com/auto: "true"`'(it, its) {
    await quickly(it, its, 'foo');
    await optsIn(it, its, all, { web: [annotated(auto)] });
    await settled(it, '1.0.0', [its('web')], `configmap-${its('foo')}`);
    await edit(it, its('foo'), 'green');
    const { status } = await settled(it, '1.0.1', [its('web')], `configmap-${its('foo')}`);
    expect(await webMounts(it, its)).toBe(status?.current?.object);
  },

  async '`reloader.stakater.com/auto: "false"`'(it, its) {
    const notAuto = { [reloader('auto')]: 'false' };
    await it.given.objects(deployment(its('plain'), mountsAll(its), annotated(notAuto)));
    const listed = { ...notAuto, [`secret.${reloader('reload')}`]: its('foo') };
    await optsIn(it, its, ['Secret foo'], { web: [annotated(listed)] });
    expect(await managedFor(it, its, 'plain')).toEqual([]);
  },

  '`configmap.reloader.stakater.com/auto: "true"`': (it, its) =>
    optsIn(it, its, ['ConfigMap foo', 'ConfigMap app-bar'], {
      web: [annotated({ [`configmap.${reloader('auto')}`]: 'true' })],
    }),

  '`secret.reloader.stakater.com/auto: "true"`': (it, its) =>
    optsIn(it, its, ['Secret foo', 'Secret app-key'], {
      web: [annotated({ [`secret.${reloader('auto')}`]: 'true' })],
    }),

  async '`configmap.reloader.stakater.com/reload: "foo,app-.*"`'(it, its) {
    const reload = `configmap.${reloader('reload')}`;
    const other = deployment(its('other'), mountsAll(its), annotated({ [reload]: its('foo') }));
    await it.given.object(other);
    await optsIn(it, its, ['ConfigMap foo', 'ConfigMap app-bar'], {
      web: [annotated({ [reload]: `${its('foo')}, ${its('app-.*')}` })],
    });
    expect(await managedFor(it, its, 'other')).toEqual(['ConfigMap foo']);
  },

  '`secret.reloader.stakater.com/reload: "foo,app-.*"`': (it, its) =>
    optsIn(it, its, ['Secret foo', 'Secret app-key'], {
      web: [annotated({ [`secret.${reloader('reload')}`]: `${its('foo')},${its('app-.*')}` })],
    }),

  async '`configmap.reloader.stakater.com/reload` with a name that the pod template does not reference'(
    it,
    its,
  ) {
    const lists = annotated({ [`configmap.${reloader('reload')}`]: `${its('foo')},elsewhere` });
    await it.given.object(deployment(its('bare'), lists));
    await optsIn(it, its, ['ConfigMap foo'], { web: [lists] });
    await isIgnored(it, its('web'), /"elsewhere" of Reloader is ignored.*references no such ConfigMap/);
    // Its pod template references no config at all.
    await isIgnored(it, its('bare'), /foo,elsewhere/);
  },

  '`reloader.stakater.com/search: "true"`': (it, its) =>
    optsIn(it, its, ['ConfigMap app-bar'], {
      'app-bar': [annotated({ [reloader('match')]: 'true' })],
      web: [annotated({ [reloader('search')]: 'true' })],
    }),

  async '`configmaps.exclude.reloader.stakater.com/reload: "foo"`'(it, its) {
    const exclusion = `${its('foo')},app-.*`;
    await optsIn(
      it,
      its,
      all.filter((config) => config !== 'ConfigMap foo'),
      { web: [annotated({ ...auto, [`configmaps.exclude.${reloader('reload')}`]: exclusion })] },
    );
    await isIgnored(it, its('web'), /exclude.*"app-\.\*".*no regular expressions/);
  },

  '`secrets.exclude.reloader.stakater.com/reload: "foo"`': (it, its) =>
    optsIn(
      it,
      its,
      all.filter((config) => config !== 'Secret foo'),
      { web: [annotated({ ...auto, [`secrets.exclude.${reloader('reload')}`]: its('foo') })] },
    ),

  async '`reloader.stakater.com/ignore: "true"`'(it, its) {
    const named = { ...auto, [`configmap.${reloader('reload')}`]: its('foo') };
    await optsIn(
      it,
      its,
      all.filter((config) => config !== 'ConfigMap foo'),
      { foo: [annotated({ [reloader('ignore')]: 'true' })], web: [annotated(named)] },
    );
    // The annotation is about opt-ins for Reloader only.
    await it.annotates(deployments, its('web'), { [annotations.manage]: its('foo') });
    await isManaged(it, its, 'ConfigMap foo');
  },

  async 'any of these opt-ins'(it, its) {
    await optsIn(it, its, ['ConfigMap foo', 'Secret foo'], {
      web: [
        annotated({ [`configmap.${reloader('reload')}`]: its('foo') }),
        inTemplate({ ...auto, [`secrets.exclude.${reloader('reload')}`]: its('app-key') }),
      ],
    });
  },

  async 'an opt-in that is removed or excluded later'(it, its) {
    await optsIn(it, its, all, { web: [annotated(auto)] });
    await it.annotates(deployments, its('web'), {
      [`configmaps.exclude.${reloader('reload')}`]: its('foo'),
    });
    await it.rolloutIs(
      'its opt-in is lost',
      (status) => conditionOf({ status }, 'OptInLost') !== undefined,
      `configmap-${its('foo')}`,
    );
    await it.annotates(secrets, its('foo'), { [reloader('ignore')]: 'true' });
    await it.rolloutIs(
      'its opt-in is lost, too',
      (status) => conditionOf({ status }, 'OptInLost') !== undefined,
      `secret-${its('foo')}`,
    );
    expect(await managedFor(it, its)).toEqual([...all].sort());

    await it.annotates(deployments, its('web'), { [annotations.manage]: 'false' });
    await it.eventually<Deployment>(
      'web mounts foo itself',
      deployments,
      its('web'),
      (web) => mountedConfigMap(web) === its('foo'),
    );
  },

  async '`deployment.reloader.stakater.com/pause-period: "5m"`'(it, its) {
    await quickly(it, its, 'foo', 'app-bar');
    const pause = annotated({
      [`configmap.${reloader('auto')}`]: 'true',
      [`deployment.${reloader('pause-period')}`]: '1h',
    });
    await optsIn(it, its, ['ConfigMap foo', 'ConfigMap app-bar'], { web: [pause] });
    const [ofFoo, ofBar] = [`configmap-${its('foo')}`, `configmap-${its('app-bar')}`] as const;
    for (const rollout of [ofFoo, ofBar]) await settled(it, '1.0.0', [its('web')], rollout);
    await edit(it, its('foo'), 'green');
    await settled(it, '1.0.1', [its('web')], ofFoo);

    await edit(it, its('app-bar'), 'green');
    const { status } = await it.rolloutIs(
      'it waits for the pause period of web',
      (status) => conditionOf({ status }, 'Ready')?.reason === 'WaitingForInterval',
      ofBar,
    );
    expect(status?.current?.version).toBe('1.0.0');
    expect((await it.object<Deployment>(deployments, its('web'))).spec.paused).toBeUndefined();
    // A person need not wait.
    const wish = '{"spec":{"version":"1.0.1"}}';
    await it.when.kubectl('patch', 'configrollout', ofBar, '--type=merge', `--patch=${wish}`);
    await settled(it, '1.0.1', [its('web')], ofBar);

    await edit(it, its('foo'), 'red');
    await it.rolloutIs(
      'foo waits',
      (status) => conditionOf({ status }, 'Ready')?.reason === 'WaitingForInterval',
      ofFoo,
    );
    await it.annotates(deployments, its('web'), { [`deployment.${reloader('pause-period')}`]: null });
    await settled(it, '1.0.2', [its('web')], ofFoo);
  },

  async '`deployment.reloader.stakater.com/pause-period`'(it, its) {
    const pause = { [`deployment.${reloader('pause-period')}`]: '5m' };
    await it.given.objects(
      ...configs(its),
      statefulSet(its('db'), mountsAll(its), annotated(pause)),
      deployment(its('web'), mountsAll(its), inTemplate(pause)),
    );
    await isIgnored(it, its('db'), /no effect on a StatefulSet.*minIntervalSeconds/, 'StatefulSet');
    await isIgnored(it, its('web'), /no effect on a pod template/);
  },

  async '`reloader.stakater.com/rollout-strategy: "restart"`'(it, its) {
    const restart = annotated({ ...auto, [reloader('rollout-strategy')]: 'restart' });
    await optsIn(it, its, all, { web: [restart] });
    await isIgnored(it, its('web'), /rolling update.*trimtab\.dev\/references: admission/);
  },

  async '`secretproviderclass.reloader.stakater.com/…`'(it, its) {
    const vault = annotated({ ...auto, [`secretproviderclass.${reloader('reload')}`]: 'vault' });
    await optsIn(it, its, all, { web: [vault] });
    await isIgnored(it, its('web'), /secretproviderclass.*reference that Secret/);
  },

  async 'any other annotation under `reloader.stakater.com`'(it, its) {
    const typo = annotated({ [reloader('atuo')]: 'true' });
    const leftover = inTemplate({ [reloader('last-reloaded-from')]: '{}' });
    await optsIn(it, its, [], { web: [typo, leftover] });
    await isIgnored(it, its('web'), /reloader\.stakater\.com\/atuo/);
  },

  async 'a value that is not valid'(it, its) {
    const invalid = annotated({
      [reloader('auto')]: 'yes',
      [`configmap.${reloader('reload')}`]: `(,${its('foo')}`,
      [reloader('search')]: 'true',
    });
    await optsIn(it, its, ['ConfigMap foo'], {
      'app-bar': [annotated({ [reloader('match')]: 'true', [reloader('ignore')]: 'yes' })],
      web: [invalid],
    });
    for (const message of [/auto has the value "yes"/, /regular expressions/, /app-bar: .*ignore/])
      await told(it, 'Deployment', its('web'), 'InvalidAnnotation', message);
  },
};

test.each(annotationRows.map((row, index) => [row, index] as const))('%s', async (row, index) => {
  await stories[row](shared, (name) => `r${index}-${name}`);
});

test('the annotation of Trimtab replaces those of Reloader without a rolling update', async () => {
  await using it = await ReleaseStory.start(engine, { flags: ['--reloader-annotations'] });
  await it.shortBake(['foo']);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), annotated(auto)),
  );
  await settled(it, '1.0.0', ['web']);
  const count = async (resource: Resource) =>
    (await it.client.list(resource, { namespace: it.namespace })).items.length;
  const before = await count(replicaSets);

  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
    await runGuide('from-reloader.md', terminal, 'Replace the annotations');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  await edit(it, 'foo', 'green');
  expect(conditionOf(await settled(it, '1.0.1', ['web']), 'OptInLost')).toBeUndefined();
  expect(await count(replicaSets), 'only the edit was rolled out').toBe(before + 1);
});
