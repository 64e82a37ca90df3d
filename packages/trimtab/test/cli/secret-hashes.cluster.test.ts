import {
  configMaps,
  controllerRevisions,
  events,
  leases,
  pods,
  type Resource,
  replicaSets,
  secrets,
  workloadResources,
} from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { reloadReports } from '../../src/api/reload-report.ts';
import { SecretHashes } from '../support/secret-hashes.ts';
import { InspectedRelease } from './support/inspected-release.ts';

const engine = await currentEngine();
let release: InspectedRelease;
let hashes: SecretHashes;

beforeAll(async () => {
  release = await InspectedRelease.start(engine);
  const { client, namespace } = release.story;
  hashes = SecretHashes.of((await client.list(secrets, { namespace })).items);
});

afterAll(async () => {
  await release?.[Symbol.asyncDispose]();
  await engine.close();
});

const readable: Resource[] = [
  configRollouts,
  reloadReports,
  configMaps,
  events,
  leases,
  pods,
  replicaSets,
  controllerRevisions,
  ...Object.values(workloadResources),
];

test('no object that may be read without Secrets, nor the log, holds a hash of a Secret', async () => {
  const { client, namespace, controller } = release.story;
  const texts: Record<string, string> = { 'the log': controller.log };
  for (const resource of readable) {
    const { items } = await client.list(resource, { namespace });
    for (const item of items) texts[`${resource.kind} ${item.metadata.name}`] = JSON.stringify(item);
  }
  expect(Object.keys(texts)).toContain('ConfigRollout secret-key');
  expect(hashes.among(texts)).toEqual([]);
});

test.each(
  [
    ['status', 'secret/key'],
    ['status', 'secret/key', '-o', 'yaml'],
    ['versions', 'secret/key', '-o', 'wide'],
    ['versions', 'secret/key', '-o', 'json'],
    ['history', 'secret/key', '-o', 'json'],
    ['uses', 'secret/key', '-o', 'json'],
    ['diff', 'secret/key', '1.0.0', '1.0.1'],
    ['activate', 'secret/key', '1.0.0', '--dry-run'],
  ].map((args) => ({ args, command: args.join(' ') })),
)('no output of $command holds a hash of a Secret', async ({ args }) => {
  const { stdout, stderr } = await release.trimtab(...args);
  expect(stdout).not.toBe('');
  expect(hashes.among({ stdout, stderr })).toEqual([]);
});
