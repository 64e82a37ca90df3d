import { afterAll, expect, test } from 'vitest';
import { readRecord } from '../../cluster/process/daemon.ts';
import { signal } from '../../cluster/process/identity.ts';
import { bedFolder } from '../../cluster/state/bed-folder.ts';
import { requireState } from '../../cluster/state/bed-state.ts';
import { cluster } from '../../cluster/testing/cluster-command.ts';
import { undisturbed } from '../../support/faults/reference.ts';
import { Stage } from '../../support/faults/stage.ts';
import { connectKubernetes } from '../../support/kubernetes-engine.ts';
import { scenarios } from './scenarios.ts';

/** A bed of its own: the tests beside this one need their API server. */
const name = `faults-${process.pid}`;
afterAll(async () => {
  await cluster('down', '--name', name);
}, 60_000);

test('the API server is killed in mid-activation and started again', async () => {
  const up = async () => expect((await cluster('up', '--level', '1', '--name', name)).code).toBe(0);
  await up();
  const engine = await connectKubernetes(requireState(bedFolder(name)));
  const reference = undisturbed(engine, scenarios.twoWaves);
  await reference;
  await using stage = await Stage.open(engine, { withGaps: true });
  const restart = async () => {
    const moved = { site: 'workload assigned', nth: 1 };
    await stage.proxy.inject({ when: moved, fault: { kind: 'fail-after' } }).fired;
    const server = readRecord(bedFolder(name), 'kube-apiserver');
    if (server === undefined) throw new Error('there is no API server to kill');
    signal(server, 'SIGKILL');
    await up();
  };
  const back = Promise.withResolvers<void>();
  stage.atBaseline(() => void restart().then(back.resolve, back.reject));
  await stage.controllers.start();
  const [run] = await Promise.all([stage.play(scenarios.twoWaves, reference), back.promise]);
  stage.proxy.assertFired();
  expect(run.snapshot).toEqual((await reference).snapshot);
  await engine.close();
});
