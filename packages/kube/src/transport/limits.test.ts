import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { transportScene } from '../../test/transport-scene.ts';
import { accessTo, answerJson, status } from '../../test/transport-server.ts';
import { errors, OperationalError } from '../errors.ts';
import { configMaps } from '../resource.ts';

const foo = { namespace: 'shop', name: 'foo' };
const theConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: foo };
const scene = transportScene();

describe('time', () => {
  test('a call ends when its time is over', async () => {
    const clock = new ManualClock();
    const server = await scene.silent();
    const call = scene.clientOf(server, clock).get(configMaps, foo, { timeoutMs: 5_000 });
    const outcome = expect(call).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ETIMEDOUT',
      sent: 'maybe',
    });
    await server.asked;
    await clock.advance(5_000);
    await outcome;
    expect(clock.pending).toBe(0);
  });

  test('a peer that takes connections and says nothing in TLS is given up before the call is', async () => {
    const clock = new ManualClock();
    const server = await scene.silent();
    const client = scene.clientOf({ url: server.url.replace('http:', 'https:') }, clock);
    const call = client.create(configMaps, theConfigMap, { timeoutMs: 10_010 });
    const outcome = expect(call).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ETIMEDOUT',
      sent: 'no',
    });
    await server.asked;
    await clock.advance(10_000);
    await outcome;
  });

  test('a caller who gives up gets its own reason at once', async () => {
    const server = await scene.silent();
    const giveUp = new AbortController();
    const call = scene.clientOf(server).get(configMaps, foo, { signal: giveUp.signal });
    await server.asked;
    const reason = new Error('no longer needed');
    giveUp.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  test('giving up works while credentials are awaited, too', async () => {
    const server = await scene.answering([200, theConfigMap]);
    const asked = Promise.withResolvers<void>();
    const access = accessTo(server.url, {
      headers: () => {
        asked.resolve();
        return new Promise(() => {});
      },
    });
    const client = scene.connect(access);
    const giveUp = new AbortController();
    const call = client.get(configMaps, foo, { signal: giveUp.signal });
    await asked.promise;
    giveUp.abort();
    await expect(call).rejects.toBe(giveUp.signal.reason);
    expect(server.asked).toEqual([]);
  });

  test('giving up works while the connection is being made', async () => {
    const server = await scene.silent();
    const client = scene.clientOf({ url: server.url.replace('http:', 'https:') });
    const giveUp = new AbortController();
    const call = client.get(configMaps, foo, { signal: giveUp.signal });
    await server.asked;
    giveUp.abort();
    await expect(call).rejects.toBe(giveUp.signal.reason);
  });

  test('giving up works between two attempts', async () => {
    const clock = new ManualClock();
    const server = await scene.answering([503, status(503, 'ServiceUnavailable'), { 'retry-after': '20' }]);
    const giveUp = new AbortController();
    const call = scene.clientOf(server, clock).get(configMaps, foo, { signal: giveUp.signal });
    await expect.poll(() => server.asked.length).toBe(1);
    giveUp.abort();
    await expect(call).rejects.toBe(giveUp.signal.reason);
  });

  test('an already aborted signal sends nothing', async () => {
    const server = await scene.answering([200, theConfigMap]);
    const signal = AbortSignal.abort();
    await expect(scene.clientOf(server).get(configMaps, foo, { signal })).rejects.toBe(signal.reason);
    expect(server.asked).toEqual([]);
  });
});

describe('credentials', () => {
  test('that are refused are renewed once, by the first of many requests', async () => {
    let token = 'old';
    let renewals = 0;
    const server = await scene.http((request, response) => {
      const fresh = request.headers.authorization === 'Bearer new';
      request.resume();
      answerJson(response, fresh ? 200 : 401, fresh ? theConfigMap : status(401, 'Unauthorized'));
    });
    const access = accessTo(server.url, {
      headers: () => ({ authorization: `Bearer ${token}` }),
      invalidate: () => {
        renewals++;
        token = 'new';
      },
    });
    const client = scene.connect(access);
    const calls = Array.from({ length: 20 }, () => client.create(configMaps, theConfigMap));
    await Promise.all(calls);
    expect(renewals).toBe(1);
  });

  test('that are refused again are an error, not a loop', async () => {
    const server = await scene.answering([401, status(401, 'Unauthorized')]);
    await expect(scene.clientOf(server).get(configMaps, foo)).rejects.toMatchObject({ status: 401 });
    expect(server.asked).toHaveLength(2);
  });

  test('that cannot be had are what the caller hears', async () => {
    const none = new OperationalError(errors.CredentialsUnavailable, 'the plugin is away');
    const server = await scene.answering([200, theConfigMap]);
    const refuse = () => Promise.reject(none);
    const withoutHeaders = scene.connect(accessTo(server.url, { headers: refuse }));
    const secure = server.url.replace('http:', 'https:');
    const withoutTls = scene.connect(accessTo(secure, { tls: refuse }));
    await expect(withoutHeaders.get(configMaps, foo)).rejects.toBe(none);
    await expect(withoutTls.get(configMaps, foo)).rejects.toBe(none);
  });
});
