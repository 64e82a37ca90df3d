import { afterAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';

import { configMaps, configRollouts, deployments } from '../../src/kube/resource.ts';
import { ControllerProcess } from '../support/controller-process.ts';
import { currentEngine } from '../support/engine.ts';
import { annotated } from '../support/objects/build.ts';
import { type ConfigMap, configMap } from '../support/objects/config-map.ts';
import { type Deployment, deployment } from '../support/objects/deployment.ts';
import { mountingConfigMap } from '../support/objects/pod-template.ts';
import { story } from '../support/story/story.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountedConfigMap = ({ spec }: Deployment) => spec.template.spec.volumes?.[0]?.configMap?.name;

test('an edit of a managed ConfigMap becomes a version that is rolled out', async () => {
  const [given, when, then] = await story(engine);
  const controller = await ControllerProcess.start(engine, given.namespace);
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
  } finally {
    await controller.stop();
  }
});
