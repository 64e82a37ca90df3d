import { expect, test } from 'vitest';
import type { KubeClient } from '../client.ts';
import { configMaps, type Resource } from '../resource.ts';
import type { KubeObject } from '../wire.ts';
import { writeThroughClient } from './write-through-client.ts';

const foo: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'shop', name: 'foo' } };
const written: KubeObject = { ...foo, metadata: { ...foo.metadata, resourceVersion: '7' } };
const where = { namespace: 'shop', name: 'foo' };
const patch = { type: 'merge' as const, body: {} };

function clientThatAnswers(answer: () => Promise<KubeObject>) {
  const noted: [Resource, KubeObject][] = [];
  const server = { create: answer, update: answer, patch: answer } as unknown as KubeClient;
  return { noted, client: writeThroughClient(server, (resource, object) => noted.push([resource, object])) };
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

test('a dry run and a write that failed are not noted', async () => {
  const tried = clientThatAnswers(async () => written);
  await tried.client.patch(configMaps, where, patch, { dryRun: true });
  expect(tried.noted).toEqual([]);
  const refused = clientThatAnswers(() => Promise.reject(new Error('refused')));
  await expect(refused.client.patch(configMaps, where, patch)).rejects.toThrow('refused');
  expect(refused.noted).toEqual([]);
});
