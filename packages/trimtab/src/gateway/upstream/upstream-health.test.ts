import type { KubeClient, RawRequest } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import { upstreamHealth } from './upstream-health.ts';

type Outcome = 'ok' | Error;
const refused = new NetworkError('ECONNREFUSED', 'no', 'down');
const status = (code: number) =>
  new ApiError(code, { kind: 'Status', apiVersion: 'v1', metadata: {}, code, message: 'no' });

function scene() {
  const clock = new ManualClock();
  const stop = new AbortController();
  let outcome: Outcome = 'ok';
  const asked: string[] = [];
  const client = {
    raw: async ({ path }: RawRequest) => {
      asked.push(path);
      if (outcome !== 'ok') throw outcome;
      return {};
    },
  } as unknown as KubeClient;
  const check = upstreamHealth({ client, clock, log: silentLogger, signal: stop.signal });
  return {
    check,
    asked,
    stop,
    clock,
    /** The results of the check after each of these probes. */
    async probes(...outcomes: Outcome[]) {
      const results = [];
      for (const each of outcomes) {
        outcome = each;
        // A failing API server is probed more often.
        const before = asked.length;
        while (asked.length === before) await clock.advance(1_000);
        results.push((await check()) === undefined ? 'ready' : 'not ready');
      }
      return results;
    },
  };
}

test('a gateway is not ready before the API server has responded once', async () => {
  const { check, clock } = scene();
  expect(await check()).toBe('the API server has not responded yet');
  await clock.advance(0);
  expect(await check()).toBeUndefined();
});

test('a gateway is not ready after three failures in a row, and ready after one success', async () => {
  const { probes, check } = scene();
  expect(await probes('ok', refused, refused, 'ok', refused, refused, refused)).toEqual([
    ...['ready', 'ready', 'ready', 'ready', 'ready', 'ready', 'not ready'],
  ]);
  expect(await check()).toBe(
    'the API server cannot be reached: 3 probes in a row failed, the last with ECONNREFUSED',
  );
  expect(await probes(refused, 'ok', refused)).toEqual(['not ready', 'ready', 'ready']);
});

test('any response counts, except an error of the server', async () => {
  const { probes } = scene();
  expect(await probes(status(401), status(403), status(429), status(404))).toEqual(Array(4).fill('ready'));
  expect(await probes(status(500), status(503), status(502))).toEqual(['ready', 'ready', 'not ready']);
});

test('probes are rare, cheap, and end with the gateway', async () => {
  const { probes, asked, stop, clock } = scene();
  await probes('ok', 'ok');
  expect(asked).toEqual(['/version', '/version', '/version']);
  stop.abort();
  await clock.advance(60_000);
  expect(asked).toHaveLength(3);
  expect(clock.pending).toBe(0);
});

test('an API server that fails is probed each second, so that its return is noticed soon', async () => {
  const { probes, asked, clock, check } = scene();
  await probes(refused, refused, refused);
  expect(await check()).toContain('cannot be reached');
  const before = asked.length;
  await clock.advance(5_000);
  expect(asked.length - before).toBe(5);
  const [state] = await probes('ok');
  expect([state, asked.length - before]).toEqual(['ready', 6]);
  await clock.advance(2_999);
  expect(asked.length - before).toBe(6);
});
