import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { FaultTable } from './support/fault-table.ts';
import { undisturbed } from './support/reference.ts';
import { Stage } from './support/stage.ts';

const engine = await currentEngine();
const table = new FaultTable();

afterAll(async () => {
  console.log(`Killed before and after each write:\n${table.render()}`);
  await engine.close();
});

type Name = keyof typeof scenarios;
type Moment = [scenario: Name, when: 'adoption' | 'activation', site: string, nth: number];

/** Each write of each scenario. `nth` counts the writes of one site, in the order of a run without faults. */
const moments: Moment[] = [
  ['backAndForth', 'adoption', 'rollout created', 1],
  ['backAndForth', 'adoption', 'original labelled', 1],
  ['twoWaves', 'adoption', 'workload listed', 1],
  ['inAdvance', 'adoption', 'ledger begun', 1],
  ['twoWaves', 'adoption', 'version created', 1],
  ['twoWaves', 'adoption', 'workload assigned', 1],
  ['twoWaves', 'adoption', 'workload assigned', 2],
  ['twoWaves', 'adoption', 'version owned', 1],
  ['twoWaves', 'adoption', 'status Current', 1],
  ['twoWaves', 'adoption', 'status Current', 2],
  ['twoWaves', 'activation', 'version created', 1],
  ['twoWaves', 'activation', 'workload assigned', 1],
  ['twoWaves', 'activation', 'workload assigned', 2],
  ['twoWaves', 'activation', 'workload fields given back', 1],
  ['twoWaves', 'activation', 'status BeingCurrent', 1],
  ['twoWaves', 'activation', 'status BeingCurrent', 2],
  ['twoWaves', 'activation', 'version marked current', 1],
  ['twoWaves', 'activation', 'version marked not-current', 1],
  ['twoWaves', 'activation', 'status Current', 1],
  ['rolledBack', 'activation', 'workload assigned', 2],
  ['rolledBack', 'activation', 'version marked rejected', 1],
  ['rolledBack', 'activation', 'status RollingBack', 1],
  ['rolledBack', 'activation', 'workload reverted', 1],
  ['rolledBack', 'activation', 'workload reverted', 2],
  ['rolledBack', 'activation', 'status RollingBack', 2],
  ['rolledBack', 'activation', 'pod deleted', 1],
  ['rolledBack', 'activation', 'status Failed', 1],
  ['together', 'adoption', 'version created', 2],
  ['together', 'adoption', 'workload assigned', 1],
  ['together', 'activation', 'version created', 1],
  ['together', 'activation', 'version created', 2],
  ['together', 'activation', 'workload assigned', 1],
  ['together', 'activation', 'status BeingCurrent', 1],
  ['together', 'activation', 'status BeingCurrent', 2],
  ['together', 'activation', 'version marked current', 1],
  ['together', 'activation', 'version marked current', 2],
  ['together', 'activation', 'status Current', 1],
  ['backAndForth', 'activation', 'wish cleared', 1],
  ['backAndForth', 'activation', 'version marked in use', 1],
  ['backAndForth', 'activation', 'deletion recorded', 1],
  ['backAndForth', 'activation', 'version deleted', 1],
  ['onEveryNode', 'adoption', 'workload assigned', 1],
  ['onEveryNode', 'activation', 'workload assigned', 1],
  ['onEveryNode', 'activation', 'version owned', 1],
  ['onEveryNode', 'activation', 'version marked rejected', 1],
  ['onEveryNode', 'activation', 'workload reverted', 1],
  ['onEveryNode', 'activation', 'status Failed', 1],
  ['optedOut', 'activation', 'workload released', 1],
  ['optedOut', 'activation', 'workload struck off', 1],
  ['optedOut', 'activation', 'status Current', 1],
  ['newImage', 'activation', 'workload noted', 1],
  ['aborted', 'activation', 'version marked rejected', 1],
  ['aborted', 'activation', 'status RollingBack', 1],
  ['aborted', 'activation', 'workload reverted', 1],
  ['aborted', 'activation', 'status Aborted', 1],
  ['locked', 'activation', 'original locked', 1],
  ['locked', 'activation', 'locked config updated', 1],
  ['uninstalled', 'activation', 'rollout deleted', 1],
];

test.concurrent.each(moments)('%s, %s: killed before and after %s (%i.)', async (name, when, site, nth) => {
  const reference = undisturbed(engine, scenarios[name]);
  await using stage = await Stage.open(engine);
  const killTwice = async () => {
    await stage.killAt({ site, nth }, 'before');
    table.hit(site, 'before');
    // The new controller repeats the write that was lost.
    await stage.killAt({ site, nth: 1 }, 'after');
    table.hit(site, 'after');
  };
  const killed = Promise.withResolvers<void>();
  const disturb = () => void killTwice().then(killed.resolve, killed.reject);
  if (when === 'adoption') disturb();
  else stage.atBaseline(disturb);
  await stage.controllers.start();
  const [run] = await Promise.all([stage.play(scenarios[name], reference), killed.promise]);
  expect(run.violations).toEqual([]);
  expect(run.snapshot).toEqual((await reference).snapshot);
  stage.proxy.assertFired();
});

test('every write of every scenario was met, before and after', async () => {
  const told = await Promise.all(Object.values(scenarios).map((each) => undisturbed(engine, each)));
  // Verifying a mark is a patch with only `test` operations: it changes nothing, so a kill before or after is the
  // same.
  const sites = told.flatMap((each) => each.sites).filter((site) => site !== 'version made sure of');
  expect(sites.filter((site) => site.startsWith('unknown'))).toEqual([]);
  expect(table.gaps(sites)).toEqual([]);
});
