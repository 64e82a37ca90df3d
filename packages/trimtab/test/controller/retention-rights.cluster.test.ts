import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type Deployment, deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { envFromConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { labels } from '../../src/api/names.ts';
import { controllerIdentity, installFor, uninstallFor } from './installed-manifests.ts';
import { keepingRevisions, naming } from './retention-objects.ts';
import { retentionScene } from './retention-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('the controller’s own rights are enough, and the guards let it and the garbage collector do their work', async () => {
  const scene = await retentionScene(engine);
  const { namespace } = scene;
  const foo = await scene.rollout('ConfigMap', 'foo', { historyLimit: 0 });
  const [free, first, second] = [
    await scene.version(foo, 1),
    await scene.version(foo, 2),
    await scene.version(foo, 3),
  ];
  await scene.status(foo, '1.0.3', '1.0.2');
  await installFor(engine, { namespace });
  try {
    await using _ = await scene.reconcilers(await engine.connect(controllerIdentity));
    await scene.then.eventuallyGone(configMaps, free);
    await scene.given.objects(deployment('web', envFromConfigMap(first), keepingRevisions(0)));
    await scene.then.eventually(
      'the ReplicaSet owns the first',
      configMaps,
      first,
      ({ metadata }) => metadata.ownerReferences?.length === 2 && metadata.labels?.[labels.inUse] === 'true',
    );
    await scene.status(foo, '1.0.3');
    await scene.when.edited<Deployment>(deployments, 'web', naming(second));
    await scene.then.eventuallyGone(configMaps, first);
    expect(await scene.versionsLeft(foo)).toEqual(['1.0.3']);
  } finally {
    await uninstallFor(engine, { namespace });
  }
});
