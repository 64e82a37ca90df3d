import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, expect, test } from 'vitest';
import type { PodSpec } from '../../api/pod-template.ts';
import { findReferences } from '../../core/references/references.ts';
import { MountableSecrets } from './mountable-secrets.ts';

const { signal } = new AbortController();
const mounted: PodSpec = { volumes: [{ name: 'a', secret: { secretName: 'bar' } }] };

const user = (spec: PodSpec, serviceAccount = 'locked') => ({
  namespace: 'shop',
  serviceAccount,
  references: findReferences({ spec }),
});

let clock: ManualClock;
let annotation: string;
let failure: number | undefined;
let read: string[];
let secrets: MountableSecrets;

beforeEach(() => {
  clock = new ManualClock();
  annotation = 'true';
  failure = undefined;
  read = [];
  const client = {
    async get(_: unknown, { namespace, name }: { namespace: string; name: string }) {
      read.push(`${namespace}/${name}`);
      if (failure !== undefined) throw new ApiError(failure, { apiVersion: 'v1', kind: 'Status' });
      const annotations = { 'kubernetes.io/enforce-mountable-secrets': annotation };
      return { metadata: { annotations }, secrets: [{ name: 'bar' }, { name: 'bar-1' }] };
    },
  } as unknown as KubeClient;
  secrets = new MountableSecrets(client, clock);
});

async function allows(spec: PodSpec, object: string): Promise<boolean> {
  const it = user(spec);
  await secrets.learn([it], signal);
  return secrets.allows(it, it.references, object);
}

test('pods of a ServiceAccount with the annotation use the Secrets that it lists, and no other', async () => {
  expect(await allows(mounted, 'bar-1')).toBe(true);
  expect(await allows(mounted, 'bar-2')).toBe(false);
});

test.each<[string, PodSpec]>([
  ['a volume', mounted],
  ['a variable', container({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'bar', key: 'a' } } }] })],
  ['all variables', container({ envFrom: [{ secretRef: { name: 'bar' } }] })],
])('%s is checked', async (_, spec) => {
  expect(await allows(spec, 'bar-2')).toBe(false);
});

test('a projected volume is not checked, as Kubernetes does not', async () => {
  const spec = { volumes: [{ name: 'a', projected: { sources: [{ secret: { name: 'bar' } }] } }] };
  expect(await allows(spec, 'bar-2')).toBe(true);
  expect(read).toEqual([]);
});

test.each(['false', '', 'yes'])('the value %j limits nothing', async (value) => {
  annotation = value;
  expect(await allows(mounted, 'bar-2')).toBe(true);
});

test('each ServiceAccount is read once in 30 seconds, however many workloads use it', async () => {
  await secrets.learn([user(mounted), user(mounted), user(mounted, 'other')], signal);
  await secrets.learn([user(mounted)], signal);
  expect(read).toEqual(['shop/locked', 'shop/other']);
  annotation = 'false';
  await clock.advance(30_000);
  expect(await allows(mounted, 'bar-2')).toBe(true);
  expect(read).toHaveLength(3);
});

test.each([403, 404])('a ServiceAccount that cannot be read (%d) limits nothing', async (status) => {
  failure = status;
  expect(await allows(mounted, 'bar-2')).toBe(true);
});

test('an error of the API server is not taken for an answer', async () => {
  failure = 503;
  await expect(secrets.learn([user(mounted)], signal)).rejects.toThrow('503');
});

function container(spec: object): PodSpec {
  return { containers: [{ name: 'app', ...spec }] };
}
