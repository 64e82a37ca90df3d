import { configMaps, deployments, pods } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated } from '@trimtab/test-bed/objects/build.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { ControllerProcess } from '../support/controller-process.ts';
import { mountedByPod, type Pod } from '../support/mounted-versions.ts';
import { inUsualWay } from '../support/reference-ways.ts';
import { mountedConfigMap } from '../support/release-story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('an edit of a managed ConfigMap becomes a version that is rolled out', async () => {
  const [given, when, then] = await story(engine);
  const { options, undo } = await inUsualWay(engine, given.namespace, {});
  const controller = await ControllerProcess.start(engine, given.namespace, options);
  try {
    await given.objects(
      configMap('foo', { color: 'blue' }),
      deployment('web', mountingConfigMap('foo', '/etc/foo'), annotated({ 'trimtab.dev/manage': 'true' })),
    );
    const isCurrent = (version: string) => (rollout: ConfigRollout) =>
      rollout.status?.phase === 'Current' && rollout.status.current?.version === version;
    const first = await then.eventually(
      '1.0.0 is current',
      configRollouts,
      'configmap-foo',
      isCurrent('1.0.0'),
    );
    await then.eventually<Deployment>(
      'web mounts the first copy',
      deployments,
      'web',
      (web) => mountedConfigMap(web) === first.status?.current?.object,
    );

    await when.edited<ConfigMap>(configMaps, 'foo', (foo) => {
      foo.data = { color: 'green' };
    });
    const second = await then.eventually(
      '1.0.1 is current',
      configRollouts,
      'configmap-foo',
      isCurrent('1.0.1'),
    );
    const web = await then.eventually<Deployment>(
      'web mounts the second copy',
      deployments,
      'web',
      (it) => mountedConfigMap(it) === second.status?.current?.object,
    );
    expect(mountedConfigMap(web)).not.toBe(first.status?.current?.object);
    await then.eventuallyAll<Pod>('the pod mounts the second copy', pods, (all) => {
      const mounted = all.map(mountedByPod);
      return mounted.length === 1 && mounted[0] === second.status?.current?.object;
    });
  } finally {
    await controller.stop();
    await undo();
  }
});
