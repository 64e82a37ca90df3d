import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { reportingFailures } from './failed-calls.ts';

const where = { namespace: 'shop', name: 'foo' };
const api = (status: number) => new ApiError(status, { kind: 'Status', apiVersion: 'v1' });

const calls: ((client: KubeClient) => Promise<unknown>)[] = [
  (client) => client.get(configMaps, where),
  (client) => client.list(configMaps),
  (client) => client.watch(configMaps, { signal: new AbortController().signal } as never),
  (client) => client.raw({ method: 'GET', path: '/' }),
  (client) => client.create(configMaps, { metadata: where }),
  (client) => client.update(configMaps, { metadata: where }),
  (client) => client.patch(configMaps, where, { type: 'merge', body: {} }),
  (client) => client.delete(configMaps, where),
];

test.each<[string, Error, string[]]>([
  ['a lost connection', new NetworkError('ECONNRESET', 'maybe', 'broke'), ['ECONNRESET']],
  ['a 500', api(500), ['500']],
  ['a 503', api(503), ['503']],
  ['a 409', api(409), []],
  ['a client that left', new Error('the client disconnected'), []],
])('%s is reported once for each call', async (_, error, expected) => {
  const failing = new Proxy({} as KubeClient, { get: () => () => Promise.reject(error) });
  for (const call of calls) {
    const codes: string[] = [];
    const client = reportingFailures(failing, (code) => codes.push(code));
    await expect(call(client)).rejects.toBe(error);
    expect(codes).toEqual(expected);
  }
});
