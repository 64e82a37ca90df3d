import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, labelled } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, expect, test } from 'vitest';
import { type FlagRow, flagRows } from '../support/from-reloader-rows.ts';
import {
  all,
  auto,
  isManaged,
  type Names,
  optsIn,
  quickly,
  reconciledAgain,
  webMounts,
} from '../support/from-reloader-scene.ts';
import { inUsualWay } from '../support/reference-ways.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { conditionOf, settled } from '../support/settled.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const selects = (namespace: string, ...flags: string[]) =>
  inUsualWay(engine, namespace, { flags: ['--reloader-annotations', ...flags] });

const stories: Record<FlagRow, (its: Names) => Promise<void>> = {
  async '`--namespace-selector=env=prod`'(its) {
    await using it = await ReleaseStory.start(engine, (namespace) =>
      selects(namespace, '--reloader-namespace-selector', 'env=prod'),
    );
    await optsIn(it, its, [], { web: [annotated(auto)] });
    await it.when.kubectl('label', 'namespace', it.namespace, 'env=prod');
    await isManaged(it, its, 'ConfigMap foo');
    await it.when.kubectl('label', 'namespace', it.namespace, 'env-');
    await it.rolloutIs(
      'its opt-in is lost',
      (status) => conditionOf({ status }, 'OptInLost') !== undefined,
      `configmap-${its('foo')}`,
    );
  },

  async '`--namespaces-to-ignore=a,b`'(its) {
    const name = 'kubernetes.io/metadata.name';
    for (const [operator, expected] of [['notin', []] as const, ['in', all] as const]) {
      await using it = await ReleaseStory.start(engine, (namespace) =>
        selects(namespace, '--reloader-namespace-selector', `${name} ${operator} (a,${namespace})`),
      );
      await optsIn(it, its, expected, { web: [annotated(auto)] });
    }
  },

  async '`--resource-label-selector=reload=true`'(its) {
    await using it = await ReleaseStory.start(engine, (namespace) =>
      selects(namespace, '--reloader-resource-label-selector', 'reload=true'),
    );
    await optsIn(it, its, ['ConfigMap foo'], {
      foo: [labelled({ reload: 'true' })],
      web: [annotated(auto)],
    });
    await it.when.kubectl('label', 'configmap', its('app-bar'), 'reload=true');
    await isManaged(it, its, 'ConfigMap app-bar');
  },

  async '`--resources-to-ignore=secrets`'(its) {
    await using it = await ReleaseStory.start(engine, (namespace) => selects(namespace, '--no-secrets'));
    await optsIn(it, its, ['ConfigMap foo', 'ConfigMap app-bar'], { web: [annotated(auto)] });
  },

  async '`--auto-reload-all`'(its) {
    await using it = await ReleaseStory.start(engine, { flags: ['--reloader-annotations'] });
    await optsIn(it, its, [], {});
    const kinds = 'deployments,statefulsets,daemonsets';
    await it.when.kubectl('annotate', kinds, '--all', 'trimtab.dev/manage=true');
    for (const config of all) await isManaged(it, its, config);
  },

  async '`--reload-on-create`, `--reload-on-delete`'(its) {
    await using it = await ReleaseStory.start(engine, { flags: ['--reloader-annotations'] });
    await quickly(it, its, 'foo');
    await optsIn(it, its, all, { web: [annotated(auto)] });
    const first = await settled(it, '1.0.0', [its('web')], `configmap-${its('foo')}`);
    await it.when.deleted(configMaps, its('foo'));
    await reconciledAgain(it, its);
    expect(await webMounts(it, its)).toBe(first.status?.current?.object);
    await it.given.object(configMap(its('foo'), { color: 'green' }));
    await settled(it, '1.0.1', [its('web')], `configmap-${its('foo')}`);
  },
};

test.each(flagRows)('%s', (row) => stories[row]((name) => `my-${name}`));
