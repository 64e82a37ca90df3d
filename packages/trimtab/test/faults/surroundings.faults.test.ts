import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { undisturbed } from './support/reference.ts';
import { Stage } from './support/stage.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const both = [['twoWaves'], ['rolledBack']] as const;

test.concurrent.each(both)('%s: the API server is cut off in mid-activation and comes back', async (name) => {
  const reference = undisturbed(engine, scenarios[name]);
  await using stage = await Stage.open(engine);
  const cutOff = async () => {
    const moved = { site: 'status BeingCurrent', nth: 1 };
    await stage.proxy.inject({ when: moved, fault: { kind: 'fail-after' } }).fired;
    const outage = stage.proxy.inject({
      when: {},
      fault: { kind: 'fail-before' },
      times: Number.POSITIVE_INFINITY,
    });
    await stage.proxy.breakWatches('cut');
    // Long enough for the Lease to expire: the controller retries the renewal and its watches about twice a second.
    await waitFor('the outage is felt', async () => {
      const count = stage.proxy.report().find(({ id }) => id === outage.id)?.fired.length ?? 0;
      return count > 40 ? { met: true } : { seen: `${count} requests` };
    });
    outage.retire();
  };
  const back = Promise.withResolvers<void>();
  stage.atBaseline(() => void cutOff().then(back.resolve, back.reject));
  await stage.controllers.start();
  const [run] = await Promise.all([stage.play(scenarios[name], reference), back.promise]);
  stage.proxy.assertFired();
  expect(run.violations).toEqual([]);
  expect(run.snapshot).toEqual((await reference).snapshot);
});

test.concurrent.each(both)(
  '%s: the clock is set forward, and back, and a successor has another one',
  async (name) => {
    const reference = undisturbed(engine, scenarios[name]);
    const preload = import.meta.resolve('./support/shifted-clock.ts');
    await using stage = await Stage.open(engine, { controller: { nodeFlags: ['--import', preload] } });
    const first = await stage.controllers.start();
    const shifts: string[] = [];
    const shift = async (site: string) => {
      await stage.proxy.inject({ when: { site }, fault: { kind: 'delay', ms: 1 } }).fired;
      for (const each of stage.controllers.running) each.signal('SIGUSR2');
      shifts.push(site);
    };
    const shifting = Promise.withResolvers<void>();
    stage.atBaseline(() => {
      first.signal('SIGUSR2');
      const play = async () => {
        await shift('workload assigned');
        await shift('status BeingCurrent');
        await stage.killAt({ site: 'workload assigned', nth: 1 }, 'after');
      };
      void play().then(shifting.resolve, shifting.reject);
    });
    const [run] = await Promise.all([stage.play(scenarios[name], reference), shifting.promise]);
    expect(shifts).toHaveLength(2);
    expect(run.violations).toEqual([]);
    expect(run.snapshot).toEqual((await reference).snapshot);
  },
);
