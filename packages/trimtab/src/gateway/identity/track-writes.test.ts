import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import { trackWrites } from './track-writes.ts';

const where = { namespace: 'shop', name: 'foo' };
const status = (code: number) => new ApiError(code, { kind: 'Status', apiVersion: 'v1' });

/** A client whose every call has this outcome. */
function clientThat(outcome: Error | 'works'): KubeClient {
  const answer = async () => {
    if (outcome !== 'works') throw outcome;
    return {};
  };
  return new Proxy({} as KubeClient, { get: () => answer });
}

type Call = (client: KubeClient) => Promise<unknown>;
const create: Call = (client) => client.create(configMaps, { metadata: where });
const calls: [string, Call][] = [
  ['create', create],
  ['update', (client) => client.update(configMaps, { metadata: where })],
  ['patch', (client) => client.patch(configMaps, where, { type: 'merge', body: {} })],
  ['delete', (client) => client.delete(configMaps, where)],
  ['a raw PATCH', (client) => client.raw({ method: 'PATCH', path: '/api', query: { fieldManager: 'ci' } })],
  [
    'a raw PUT with an empty dryRun',
    (client) => client.raw({ method: 'PUT', path: '/api', query: { dryRun: '' } }),
  ],
];

test.each(calls)('%s changes something', async (_, call) => {
  const { client, mayHaveWritten } = trackWrites(clientThat('works'));
  expect(mayHaveWritten()).toBe(false);
  await call(client);
  expect(mayHaveWritten()).toBe(true);
});

test.each<[string, Call]>([
  ['a read', (client) => client.get(configMaps, where)],
  ['a list', (client) => client.list(configMaps)],
  ['a review', (client) => client.raw({ method: 'POST', path: '/apis' })],
  ['a rehearsed PUT', (client) => client.raw({ method: 'PUT', path: '/api', query: { dryRun: 'All' } })],
  ['a rehearsed creation', (client) => client.create(configMaps, { metadata: where }, { dryRun: true })],
  ['a rehearsed deletion', (client) => client.delete(configMaps, where, { dryRun: true })],
])('%s changes nothing', async (_, call) => {
  const { client, mayHaveWritten } = trackWrites(clientThat('works'));
  await call(client);
  expect(mayHaveWritten()).toBe(false);
});

test.each<[string, Error, boolean]>([
  ['whose answer is lost', new NetworkError('ECONNRESET', 'maybe', 'broke'), true],
  ['that never left', new NetworkError('ECONNREFUSED', 'no', 'nobody there'), false],
  ['that the server refuses', status(403), false],
  ['that met another one', status(409), false],
  ['that the server failed at', status(500), true],
  ['that was given up', new Error('the client is gone'), true],
])('a write %s', async (_, error, changed) => {
  const { client, mayHaveWritten } = trackWrites(clientThat(error));
  await expect(create(client)).rejects.toBe(error);
  expect(mayHaveWritten()).toBe(changed);
});
