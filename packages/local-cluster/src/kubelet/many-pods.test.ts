import { pods } from '@trimtab/kube/resource.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KubeletStage, processesWith, script } from '../../test/support/kubelet-stage.ts';
import type { Pod } from '../objects/pod.ts';

let stage: KubeletStage;

beforeAll(async () => {
  stage = await KubeletStage.open();
});

afterAll(() => stage.close());

async function list(): Promise<Pod[]> {
  return (await stage.local.client.list<Pod>(pods, { namespace: 'default' })).items;
}

it('200 pods are started and stopped, and no process is left', async () => {
  const mark = `T200=${stage.stateDir}`;
  const app = script('sleep 631.1 & exec sleep 631.2', { env: [{ name: 'T200', value: stage.stateDir }] });
  const names: string[] = [];
  const start = () => stage.run({ terminationGracePeriodSeconds: 20, containers: [app] });
  // Server, kubelet and test share one process, so 200 concurrent requests would time out waiting for each other.
  while (names.length < 200) names.push(...(await Promise.all(Array.from({ length: 20 }, start))));
  await waitFor(
    'all are Ready',
    async () => {
      const ready = (await list()).filter(({ status }) =>
        status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
      );
      return ready.length === 200 ? { met: true } : { seen: `${ready.length} Ready` };
    },
    { timeoutMs: 180_000 },
  );
  const addresses = (await list()).map(({ status }) => status?.podIP);
  expect(new Set(addresses).size).toBe(200);
  // A shell that has just started has not yet forked its second process.
  await waitFor('all processes', async () => {
    const all = await processesWith(mark);
    return all.length === 400 ? { met: true } : { seen: `${all.length}` };
  });
  for (let n = 0; n < names.length; n += 20)
    await Promise.all(names.slice(n, n + 20).map((name) => stage.delete(name)));
  await waitFor(
    'all are gone',
    async () => {
      const left = await list();
      return left.length === 0 ? { met: true } : { seen: `${left.length} left` };
    },
    { timeoutMs: 180_000 },
  );
  expect(await processesWith(mark)).toEqual([]);
}, 480_000);

it('a kubelet that is closed ends everything, and the next one starts it again', async () => {
  const mark = `CLOSE=${stage.stateDir}`;
  const app = script('exec sleep 632.1', { env: [{ name: 'CLOSE', value: stage.stateDir }] });
  const name = await stage.run({ containers: [app] });
  const { status } = await stage.untilReady(name);
  await stage.kubelet.close();
  expect(await processesWith(mark)).toEqual([]);
  await stage.restart();
  const after = await stage.until(
    name,
    'runs again',
    (pod) => pod.status?.containerStatuses?.[0]?.restartCount === 1,
  );
  expect(after.status?.podIP).toBe(status?.podIP);
  await stage.untilReady(name);
  expect(await processesWith(mark)).toHaveLength(1);
}, 120_000);
