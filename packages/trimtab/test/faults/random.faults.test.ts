import { randomInt } from 'node:crypto';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { mulberry32 } from '@trimtab/test-bed/fault-proxy/prng.ts';
import { randomPlan } from '@trimtab/test-bed/fault-proxy/random-plan.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { undisturbed } from './support/reference.ts';
import { endOf } from './support/snapshot.ts';
import { Stage } from './support/stage.ts';

/**
 * The seeds are the same each time, so a new failure is caused by a change of the code. `TRIMTAB_FAULT_SEED=random`
 * uses random seeds, and `TRIMTAB_FAULT_SEED=123 TRIMTAB_FAULT_RUNS=1` repeats one run.
 */
const chosen = process.env['TRIMTAB_FAULT_SEED'] ?? '618230';
const first = chosen === 'random' ? randomInt(1, 1_000_000) : Number(chosen);
const runs = Number(process.env['TRIMTAB_FAULT_RUNS'] ?? 40);
const seeds = Array.from({ length: runs }, (_, index) => first + index);

const engine = await currentEngine();
const told = Object.values(scenarios);
const reports: string[] = [];

beforeAll(() => console.log(`Seeds ${first} to ${first + runs - 1}`));

afterAll(async () => {
  console.log(reports.join('\n'));
  await engine.close();
});

const resources = ['configmaps', 'secrets', 'configrollouts', 'deployments', 'pods', 'leases'];

test.concurrent.each(seeds)('seed %i', async (seed) => {
  const draw = mulberry32(seed);
  const scenario = told[seed % told.length];
  if (scenario === undefined) throw new RangeError('there is no scenario');
  const reference = undisturbed(engine, scenario);
  await using stage = await Stage.open(engine, { seed });
  for (const injection of randomPlan(seed, resources)) stage.proxy.inject(injection);
  const kills = Array.from({ length: 1 + Math.floor(draw() * 3) }, () => ({
    // A scenario has about forty writes.
    nth: 1 + Math.floor(draw() * 20),
    at: draw() < 0.5 ? ('before' as const) : ('after' as const),
  }));
  let killed = 0;
  const over = Promise.withResolvers<void>();
  const disturb = async () => {
    for (const { nth, at } of kills)
      if (await stage.killAt({ site: '*', nth }, at, over.promise)) killed += 1;
  };
  const disturbing = disturb();
  // The error is thrown by the await below, unless the scenario fails first.
  disturbing.catch(() => {});
  await stage.controllers.start();
  const run = await stage.play(scenario, reference, scenario.extraRevisions).finally(over.resolve);
  await disturbing;
  const fired = stage.proxy.report().flatMap((rule) => rule.fired);
  reports.push(
    `seed ${seed}, ${scenario.name}: ${fired.length} faults, ${killed} kills, ${stage.controllers.restarts} restarts`,
  );
  expect(run.violations, stage.proxy.describe()).toEqual([]);
  expect(endOf(run.snapshot)).toEqual(endOf((await reference).snapshot));
  expect(fired.length, 'faults that fired').toBeGreaterThan(0);
});
