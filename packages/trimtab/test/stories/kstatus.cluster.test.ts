import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { kstatus } from '../support/kstatus.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

test('kstatus sees a release as in progress, a rollback as failed, and an outcome as it is', async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using recording = await StateRecording.start<ConfigRollout>(it.client, configRollouts, {
    namespace: it.namespace,
  });
  const seen = async () => {
    const all = (await recording.upToNow()).map(kstatus);
    return all.filter((each, index) => each !== all[index - 1]);
  };
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp),
  );
  await settled(it, '1.0.0', ['web']);
  expect(await seen()).toEqual(['InProgress', 'Current']);

  await it.strategyIs({ bakeSeconds: 1 });
  await waitFor('the change of the strategy is observed', async () => {
    const all = await seen();
    return all.length === 4 ? { met: true } : { seen: all.join(', ') };
  });
  await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
  await settled(it, '1.0.1', ['web']);
  expect((await seen()).slice(2)).toEqual(['InProgress', 'Current', 'InProgress', 'Current']);

  await it.when.edited(configMaps, 'foo', withData({ pods: 'crash-loop' }));
  expect(kstatus(await isRolledBack(it, '1.0.2'))).toBe('Failed');
  expect((await seen()).slice(6)).toEqual(['InProgress', 'Failed']);

  await it.when.edited(configMaps, 'foo', withData({ color: 'blue' }));
  expect(kstatus(await settled(it, '1.0.0', ['web']))).toBe('Current');
  expect((await seen()).slice(8)).toEqual(['InProgress', 'Current']);
});
