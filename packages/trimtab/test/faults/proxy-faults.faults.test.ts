import { setTimeout as delay } from 'node:timers/promises';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import type { EventFault, RequestFault } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { afterAll, expect, test } from 'vitest';
import { scenarios } from './scenarios.ts';
import { undisturbed } from './support/reference.ts';
import { Stage } from './support/stage.ts';

const engine = await currentEngine();
const reports: string[] = [];
afterAll(async () => {
  console.log(reports.join('\n'));
  await engine.close();
});

const onWrites: RequestFault[] = [
  { kind: 'status', code: 409 },
  { kind: 'status', code: 429, retryAfterSeconds: 1 },
  { kind: 'status', code: 429, retryAfterSeconds: 1, plain: true },
  { kind: 'status', code: 500 },
  { kind: 'status', code: 503 },
  { kind: 'delay', ms: 300 },
  { kind: 'stall', at: 'before', boundMs: 400 },
  { kind: 'stall', at: 'after', boundMs: 400 },
  { kind: 'fail-before' },
  { kind: 'fail-after' },
];

/** The writes of an activation that is rolled back. Each write meets the fault once. */
const sites = [
  'version created',
  'workload assigned',
  'status BeingCurrent',
  'version owned',
  'version marked rejected',
  'status RollingBack',
  'workload reverted',
  'pod deleted',
  'status Failed',
];

async function playWith(faults: (stage: Stage) => void): Promise<void> {
  const reference = undisturbed(engine, scenarios.rolledBack);
  await using stage = await Stage.open(engine);
  stage.atBaseline(() => faults(stage));
  await stage.controllers.start();
  const run = await stage.play(scenarios.rolledBack, reference);
  stage.proxy.assertFired();
  const fired = stage.proxy.report().map(({ injection, fired: hits }) => `${injection.fault.kind} ${hits}`);
  reports.push(fired.join('; '));
  expect(run.violations).toEqual([]);
  expect(run.snapshot).toEqual((await reference).snapshot);
}

/**
 * When the response to the mark of a rejection is lost, the rollback resumes from the mark and does not wait for its
 * report. If the responses to all reverts are lost as well, the next report is that of the end.
 */
const report = 'status RollingBack';
const isLost = (fault: RequestFault) =>
  fault.kind === 'fail-after' || (fault.kind === 'stall' && fault.at === 'after');

test.concurrent.each(onWrites)('every write of a rollback meets %j', async (fault) => {
  const rounds = isLost(fault) ? [sites.filter((site) => site !== report), [report]] : [sites];
  for (const round of rounds)
    await playWith(({ proxy }) => {
      for (const site of round) proxy.inject({ when: { site }, fault });
    });
});

const onEvents: EventFault[] = [
  { kind: 'delay-event', ms: 300 },
  { kind: 'drop-event', thenCut: true },
  { kind: 'repeat-event' },
  { kind: 'reorder-event' },
  { kind: 'cut-watch' },
  { kind: 'cut-watch', midLine: true },
  { kind: 'end-watch' },
  { kind: 'expire-watch' },
  { kind: 'stall-watch', boundMs: 500 },
];

const watched = ['configmaps', 'configrollouts', 'deployments', 'statefulsets', 'replicasets', 'pods'];

/**
 * The first event meets the fault, and so does the next one, if there is one: after a fault that makes the controller
 * list again, a slow machine brings all later changes in one list.
 */
test.concurrent.each(onEvents)('the watches meet %j', async (fault) => {
  await playWith(({ proxy }) => {
    for (const resource of watched) proxy.inject({ when: { resource }, fault, times: 2 });
  });
});

/**
 * A real API server never drops an event silently, and a client could not detect it. The controller must not do
 * anything wrong then, and must recover with the next periodic relist, which this test triggers early.
 */
test.concurrent('the watches lose events and say nothing', async () => {
  await playWith(({ proxy }) => {
    for (const resource of watched) {
      const lost = proxy.inject({ when: { resource, nth: 2 }, fault: { kind: 'drop-event' } });
      void lost.fired.then(async () => {
        await delay(300);
        await proxy.breakWatches('expire', { resource });
      });
    }
  });
});

/** Faults that the requests meet that open a watch again after it was cut. */
const onReads: RequestFault[] = [
  { kind: 'status', code: 410 },
  { kind: 'status', code: 500 },
  { kind: 'fail-before' },
  { kind: 'stall', boundMs: 400 },
];

test.concurrent.each(onReads)('watches that are cut meet %j when they are opened again', async (fault) => {
  await playWith((stage) => {
    for (const resource of watched) stage.proxy.inject({ when: { verb: 'watch', resource }, fault });
    void stage.proxy.breakWatches('cut');
  });
});
