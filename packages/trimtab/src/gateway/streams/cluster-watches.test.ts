import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { HistoryServer, type RequestFault } from '@trimtab/test-bed/fakes/history-server.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { ClusterWatches } from './cluster-watches.ts';

/** Answers no request for this time. */
async function outage(
  server: HistoryServer,
  clock: ManualClock,
  seconds: number,
  fault: RequestFault,
): Promise<void> {
  server.requestFaults = Array.from({ length: 10_000 }, () => fault);
  server.streamFaults = ['cut'];
  server.write('shop/configmap-foo');
  await clock.advance(seconds * 1000);
  server.requestFaults = [];
}

test.each([
  ['that remembers all changes', 'network', () => {}],
  ['that has forgotten earlier changes', 'network', (server: HistoryServer) => server.compact()],
  ['that asked for a minute with Retry-After', 'unavailable', () => {}],
] as const)(
  '5 s after an outage at most, changes arrive again, from an API server %s',
  async (_, fault, prepare) => {
    const server = new HistoryServer();
    server.retryAfterSeconds = 60;
    const clock = new ManualClock();
    server.write('shop/configmap-foo');
    const seen: string[] = [];
    const watches = new ClusterWatches(
      { client: server.client, clock, log: silentLogger, secrets: true },
      {
        onRollout: ({ after }) => seen.push(after?.resourceVersion ?? 'deleted'),
        onPod() {},
        onConfig() {},
        onWorkload() {},
      },
    );
    const synced = watches.rollouts('shop', new AbortController().signal);
    await clock.advance(0);
    await synced;
    // The outages end at different times after the last attempt of the watch.
    for (let seconds = 60; seconds < 120; seconds += 3.7) {
      await outage(server, clock, seconds, fault);
      prepare(server);
      await clock.advance(5_000);
      server.write('shop/configmap-foo');
      await clock.advance(0);
      expect(seen.at(-1)).toBe(server.state().get('shop/configmap-foo')?.metadata.resourceVersion);
    }
    await watches.close();
    expect(clock.pending).toBe(0);
  },
);

test('a gateway for some namespaces watches each of them when it is requested, and refuses the others', async () => {
  const server = new HistoryServer();
  const clock = new ManualClock();
  const watches = new ClusterWatches(
    { client: server.client, clock, log: silentLogger, secrets: true, namespaces: ['shop', 'web'] },
    { onRollout() {}, onPod() {}, onConfig() {}, onWorkload() {} },
  );
  const { signal } = new AbortController();
  await expect(watches.pods('other', signal)).rejects.toMatchObject({
    body: { code: 403, message: expect.stringContaining('does not serve namespace other') },
  });
  expect(server.requests).toEqual([]);
  const synced = Promise.all([watches.pods('shop', signal), watches.pods('web', signal)]);
  await clock.advance(0);
  const [shop, web] = await synced;
  expect([shop.name, web.name]).toEqual(['pods shop', 'pods web']);
  await watches.close();
});
