import type { KubeClient, WatchOptions } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { describe, expect, test } from 'vitest';
import { namedObjectClient } from './named-object-client.ts';

const where = { namespace: 'shop', name: 'web' };
const object = { metadata: { ...where, resourceVersion: '7' } };

/** A client that records what it is called with. Every method but `get` and `watch` throws. */
function recorded(get: () => Promise<unknown>) {
  const calls: unknown[][] = [];
  const client = {
    get: (...call: unknown[]) => {
      calls.push(['get', ...call]);
      return get();
    },
    watch: async (...call: unknown[]) => {
      calls.push(['watch', ...call]);
      return { events: [], close: () => void calls.push(['close']) };
    },
  } as unknown as KubeClient;
  return { calls, named: namedObjectClient(client, where) };
}

const failed = (status: number) => new ApiError(status, { apiVersion: 'v1', kind: 'Status', code: status });

describe('the list of one named object', () => {
  test('is a get', async () => {
    const { calls, named } = recorded(async () => object);
    const { signal } = new AbortController();
    expect(await named.list(configMaps, { namespace: 'shop', limit: 500, signal })).toEqual({
      metadata: { resourceVersion: '1' },
      items: [object],
    });
    expect(calls).toEqual([['get', configMaps, where, { signal }]]);
  });

  test('is empty when the object does not exist', async () => {
    const { named } = recorded(() => Promise.reject(failed(404)));
    expect((await named.list(configMaps)).items).toEqual([]);
  });

  test.each([401, 403, 500])('fails when the server responds with %i', async (status) => {
    const { named } = recorded(() => Promise.reject(failed(status)));
    await expect(named.list(configMaps)).rejects.toMatchObject({ status });
  });
});

describe('the watch of one named object', () => {
  const { signal } = new AbortController();
  const options: WatchOptions = { namespace: 'shop', timeoutSeconds: 300, signal };

  test.each([
    ['begins with the state of the object after a list', { resourceVersion: '1' }, { resourceVersion: '0' }],
    ['resumes after an event', { resourceVersion: '7' }, { resourceVersion: '7' }],
    ['asks for initial events', { sendInitialEvents: true }, { sendInitialEvents: true }],
  ])('%s', async (_, given, sent) => {
    const { calls, named } = recorded(async () => object);
    await named.watch(configMaps, { ...options, ...given });
    expect(calls).toEqual([['watch', configMaps, { ...options, ...sent }]]);
  });

  test('fails when the object was deleted after the list, so that it is listed again', async () => {
    const responses = [object];
    const { calls, named } = recorded(async () => {
      const response = responses.shift();
      if (response === undefined) throw failed(404);
      return response;
    });
    await named.list(configMaps);
    const watch = named.watch(configMaps, { ...options, resourceVersion: '1' });
    await expect(watch).rejects.toMatchObject({ status: 410 });
    expect(calls.map(([call]) => call)).toEqual(['get', 'watch', 'get', 'close']);
    expect((await named.list(configMaps)).items).toEqual([]);
    await named.watch(configMaps, { ...options, resourceVersion: '1' });
    expect(calls.map(([call]) => call).slice(4)).toEqual(['get', 'watch']);
  });

  test('continues when the object still exists after the list', async () => {
    const { calls, named } = recorded(async () => object);
    await named.list(configMaps);
    await named.watch(configMaps, { ...options, resourceVersion: '1' });
    expect(calls.map(([call]) => call)).toEqual(['get', 'watch', 'get']);
  });
});
