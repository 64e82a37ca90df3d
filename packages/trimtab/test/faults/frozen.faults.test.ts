import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { reconciles } from '../support/running-controller.ts';
import { scenarios } from './scenarios.ts';
import { undisturbed } from './support/reference.ts';
import { endOf } from './support/snapshot.ts';
import { Stage } from './support/stage.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

type Moment = [scenario: keyof typeof scenarios, when: 'adoption' | 'activation', site: string, nth: number];

const moments: Moment[] = [
  ['twoWaves', 'adoption', 'rollout created', 1],
  ['twoWaves', 'adoption', 'original labelled', 1],
  ['twoWaves', 'adoption', 'workload listed', 1],
  ['twoWaves', 'adoption', 'workload assigned', 2],
  ['twoWaves', 'activation', 'version created', 1],
  ['twoWaves', 'activation', 'workload assigned', 1],
  ['twoWaves', 'activation', 'workload assigned', 2],
  ['onEveryNode', 'activation', 'version owned', 1],
  ['twoWaves', 'activation', 'status BeingCurrent', 1],
  ['twoWaves', 'activation', 'version marked current', 1],
  ['twoWaves', 'activation', 'version marked not-current', 1],
  ['twoWaves', 'activation', 'status Current', 1],
  ['rolledBack', 'activation', 'workload assigned', 2],
  ['rolledBack', 'activation', 'version marked rejected', 1],
  ['rolledBack', 'activation', 'status RollingBack', 1],
  ['rolledBack', 'activation', 'workload reverted', 1],
  ['rolledBack', 'activation', 'pod deleted', 1],
  ['rolledBack', 'activation', 'status Failed', 1],
  ['backAndForth', 'activation', 'wish cleared', 1],
  ['backAndForth', 'activation', 'version marked in use', 1],
  ['backAndForth', 'activation', 'deletion recorded', 1],
  ['backAndForth', 'activation', 'version deleted', 1],
  ['onEveryNode', 'activation', 'workload assigned', 1],
  ['onEveryNode', 'activation', 'workload reverted', 1],
  ['optedOut', 'activation', 'workload released', 1],
  ['optedOut', 'activation', 'workload struck off', 1],
  ['locked', 'activation', 'locked config updated', 1],
];

/**
 * The worst case of a lost Lease: the leader freezes during a write, another controller becomes leader and finishes,
 * and then the old write arrives. A Lease does not fence writes, so the guards of each write must.
 */
test.concurrent.each(moments)(
  '%s, %s: a leader that freezes at %s (%i.) and wakes when all is over changes nothing',
  async (name, when, site, nth) => {
    const reference = undisturbed(engine, scenarios[name]);
    await using stage = await Stage.open(engine);
    const frozen = await stage.controllers.start();
    const freeze = async () => {
      const stall = stage.proxy.inject({
        when: { site, nth },
        fault: { kind: 'stall', at: 'before', boundMs: 590_000 },
      });
      await stall.fired;
      frozen.signal('SIGSTOP');
      await stage.controllers.start();
    };
    if (when === 'adoption') void freeze();
    else stage.atBaseline(() => void freeze());
    const run = await stage.play(scenarios[name], reference);
    stage.proxy.assertFired();
    stage.proxy.release();
    frozen.signal('SIGCONT');
    const after = await stage.staysAs(run);
    expect(after.violations).toEqual([]);
    expect(after.snapshot).toEqual((await reference).snapshot);
  },
);

test.concurrent.each(Object.values(scenarios))(
  '$name: two controllers that both believe to lead do no harm',
  async (scenario) => {
    const reference = undisturbed(engine, scenario);
    await using stage = await Stage.open(engine);
    await stage.controllers.start();
    await stage.controllers.start({ homeNamespace: await engine.namespace() });
    const run = await stage.play(scenario, reference, scenario.extraRevisions);
    expect(run.violations).toEqual([]);
    expect(endOf(run.snapshot)).toEqual(endOf((await reference).snapshot));
  },
);

test.concurrent('one that stands by takes over when the leader is killed', async () => {
  const reference = undisturbed(engine, scenarios.twoWaves);
  await using stage = await Stage.open(engine);
  const leader = await stage.controllers.start();
  await reconciles(leader);
  const standBy = await stage.controllers.start();
  stage.atBaseline(async () => {
    // On a busy machine the first controller may have lost the Lease already; it must then log that.
    if (standBy.log.includes('"msg":"reconcilers started"'))
      await waitFor('the first one gives up', async () =>
        leader.log.includes('"msg":"lease lost') ? { met: true } : { seen: leader.log.slice(-500) },
      );
    await stage.controllers.kill(leader);
  });
  const run = await stage.play(scenarios.twoWaves, reference);
  expect(standBy.log).toContain('"msg":"reconcilers started"');
  expect(run.violations).toEqual([]);
  expect(run.snapshot).toEqual((await reference).snapshot);
});
