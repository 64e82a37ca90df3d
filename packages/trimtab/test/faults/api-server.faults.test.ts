import { expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { killableCluster } from './support/killable-cluster.ts';
import { undisturbed } from './support/reference.ts';
import { Stage } from './support/stage.ts';

test('the API server is killed in mid-activation and started again', async () => {
  await using own = await killableCluster();
  const { engine } = own;
  const reference = undisturbed(engine, scenarios.twoWaves);
  await reference;
  await using stage = await Stage.open(engine, { withGaps: true });
  const restart = async () => {
    const moved = { site: 'workload assigned', nth: 1 };
    await stage.proxy.inject({ when: moved, fault: { kind: 'fail-after' } }).fired;
    await own.restartApiServer();
  };
  const back = Promise.withResolvers<void>();
  stage.atBaseline(() => void restart().then(back.resolve, back.reject));
  await stage.controllers.start();
  const [run] = await Promise.all([stage.play(scenarios.twoWaves, reference), back.promise]);
  stage.proxy.assertFired();
  expect(run.snapshot).toEqual((await reference).snapshot);
});
