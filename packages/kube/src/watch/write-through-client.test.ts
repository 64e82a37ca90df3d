import { expect, test } from 'vitest';
import type { KubeClient } from '../client.ts';
import { configMaps, type Resource } from '../resource.ts';
import { ApiError, NetworkError } from '../transport/errors.ts';
import type { KubeObject } from '../wire.ts';
import { writeThroughClient } from './write-through-client.ts';

const foo: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'foo' } };
const written: KubeObject = { ...foo, metadata: { ...foo.metadata, resourceVersion: '7' } };
const live: KubeObject = { ...foo, metadata: { ...foo.metadata, resourceVersion: '8' } };
const where = { namespace: 'shop', name: 'foo' };
const patch = { type: 'merge' as const, body: {} };

function clientThatAnswers(answer: () => Promise<KubeObject>, get = async () => live) {
  const noted: [Resource, KubeObject][] = [];
  const server = {
    create: answer,
    update: answer,
    patch: answer,
    get,
  } as unknown as KubeClient;
  return { noted, ...writeThroughClient(server, (resource, object) => noted.push([resource, object])) };
}

test('each write is noted as the server answered it, before whoever wrote goes on', async () => {
  const { client, noted } = clientThatAnswers(async () => written);
  await client.create(configMaps, foo);
  await client.update(configMaps, foo);
  await client.patch(configMaps, where, patch);
  expect(noted).toEqual([
    [configMaps, written],
    [configMaps, written],
    [configMaps, written],
  ]);
});

test('a dry run, another kind of object and a write that failed are not noted', async () => {
  const tried = clientThatAnswers(async () => written);
  await tried.client.patch(configMaps, where, patch, { dryRun: true });
  await tried.client.patch(configMaps, where, patch, { subresource: 'scale' });
  expect(tried.noted).toEqual([]);
  const refused = clientThatAnswers(() => Promise.reject(new Error('refused')));
  await expect(refused.client.patch(configMaps, where, patch)).rejects.toThrow('refused');
  expect(refused.noted).toEqual([]);
});

test('what was read is noted', async () => {
  const { client, noted } = clientThatAnswers(async () => written);
  await client.get(configMaps, where);
  expect(noted).toEqual([[configMaps, live]]);
});

test.each([
  ['has no response', new NetworkError('ECONNRESET', 'maybe', 'cut'), true],
  ['timed out in the server', new ApiError(504, { apiVersion: 'v1', kind: 'Status' }), true],
  ['was never sent', new NetworkError('ECONNREFUSED', 'no', 'refused'), false],
  ['met a conflict', new ApiError(409, { apiVersion: 'v1', kind: 'Status' }), false],
])('after a write that %s, the object is read: %s', async (_, error, isRead) => {
  const { client, noted } = clientThatAnswers(() => Promise.reject(error));
  await expect(client.patch(configMaps, where, patch)).rejects.toBe(error);
  await expect(client.create(configMaps, foo)).rejects.toBe(error);
  expect(noted).toEqual(
    isRead
      ? [
          [configMaps, live],
          [configMaps, live],
        ]
      : [],
  );
});

test('as long as the read fails, too, the write stays unconfirmed', async () => {
  const lost = new NetworkError('ECONNRESET', 'maybe', 'cut');
  const reads: (KubeObject | Error)[] = [lost, new ApiError(503, { apiVersion: 'v1', kind: 'Status' }), live];
  const get = async () => {
    const next = reads.shift();
    if (next === undefined) throw new Error('one read too many');
    if (next instanceof Error) throw next;
    return next;
  };
  const { client, noted, confirmWrites } = clientThatAnswers(() => Promise.reject(lost), get);
  const { signal } = new AbortController();
  await confirmWrites(signal);
  await expect(client.patch(configMaps, where, patch)).rejects.toBe(lost);
  await expect(confirmWrites(signal)).rejects.toThrow();
  expect(noted).toEqual([]);
  await confirmWrites(signal);
  expect(noted).toEqual([[configMaps, live]]);
  await confirmWrites(signal);
});

test('an object that does not exist, or may not be read, is not waited for', async () => {
  const lost = new NetworkError('ECONNRESET', 'maybe', 'cut');
  const get = () => Promise.reject(new ApiError(404, { apiVersion: 'v1', kind: 'Status' }));
  const { client, noted, confirmWrites } = clientThatAnswers(() => Promise.reject(lost), get);
  await expect(client.create(configMaps, foo)).rejects.toBe(lost);
  await confirmWrites(new AbortController().signal);
  expect(noted).toEqual([]);
});
