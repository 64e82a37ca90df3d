import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { closeEndpoints, openEndpoint } from '../../../test/agent/support/endpoint-under-test.ts';

afterEach(closeEndpoints);

async function scene() {
  const clock = new ManualClock(Date.now());
  const metrics = createRegistry();
  const endpoint = await openEndpoint({ clock, metrics });
  const publish = (level: string) => {
    const entries = new Map([['log.level', Buffer.from(level)]]);
    endpoint.publish([{ kind: 'ConfigMap', name: 'foo', version: '1.0.0', entries }]);
  };
  const isWaiting = (requests: number) =>
    vi.waitFor(
      () => expect(metrics.render()).toContain(`trimtab_agent_endpoint_long_polls ${requests}\n`),
      5_000,
    );
  return { ...endpoint, clock, publish, isWaiting };
}

describe('an application waits for a change', () => {
  test('with the ETag that it knows', async () => {
    const { call, publish, isWaiting } = await scene();
    publish('debug');
    const etag = String((await call('/config')).headers.etag);
    const answer = call('/config?wait=30s', { headers: { 'if-none-match': etag } });
    await isWaiting(1);
    publish('debug');
    publish('info');
    const { status, text } = await answer;
    expect([status, JSON.parse(text)['log.level']]).toEqual([200, 'info']);
    await isWaiting(0);
  });

  test('and learns that there was none', async () => {
    const { call, publish, isWaiting, clock } = await scene();
    publish('debug');
    const etag = String((await call('/config')).headers.etag);
    const answer = call('/config?wait=30s', { headers: { 'if-none-match': etag } });
    await isWaiting(1);
    await clock.advance(30_000);
    expect((await answer).status).toBe(304);
  });

  test('with an old ETag, and need not wait', async () => {
    const { call, publish } = await scene();
    publish('debug');
    const { status } = await call('/config?wait=5m', { headers: { 'if-none-match': '"old"' } });
    expect(status).toBe(200);
  });

  test('from now on, without an ETag', async () => {
    const { call, publish, isWaiting } = await scene();
    publish('debug');
    const answer = call('/config?wait=500ms', { headers: { accept: 'text/plain' } });
    await isWaiting(1);
    publish('info');
    expect((await answer).text).toContain('log.level=info');
  });

  test('without an ETag, and gets the same content after the time', async () => {
    const { call, publish, isWaiting, clock } = await scene();
    publish('debug');
    const answer = call('/config?wait=1m');
    await isWaiting(1);
    await clock.advance(60_000);
    expect(await answer).toMatchObject({ status: 200, text: expect.stringContaining('debug') });
  });

  test('before the agent has the first configs', async () => {
    const { call, publish, isWaiting } = await scene();
    const answer = call('/config?wait=30s');
    await isWaiting(1);
    publish('debug');
    expect((await answer).status).toBe(200);
  });

  test('and goes away', async () => {
    const { call, isWaiting, clock } = await scene();
    const gone = new AbortController();
    const answer = call('/config?wait=30s', { signal: gone.signal });
    await isWaiting(1);
    gone.abort();
    await expect(answer).rejects.toThrow();
    await isWaiting(0);
    expect(clock.pending).toBe(0);
  });

  test('and the agent stops', async () => {
    const { call, publish, isWaiting, close, clock } = await scene();
    publish('debug');
    const answer = call('/config?wait=5m');
    await isWaiting(1);
    await close();
    expect(await answer).toMatchObject({ status: 503, text: '{"message":"The agent is stopping"}\n' });
    expect(clock.monotonic()).toBe(0);
  });
});

test('no more than 64 requests wait', async () => {
  const { call, publish, isWaiting } = await scene();
  publish('debug');
  const waiting = Array.from({ length: 64 }, () => call('/config?wait=1m'));
  await isWaiting(64);
  expect(await call('/config?wait=1m')).toMatchObject({
    status: 429,
    text: '{"message":"64 requests of this pod are waiting already; retry after 1 s"}\n',
  });
  expect((await call('/config')).status).toBe(200);
  publish('info');
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});
