import type { KubeClient } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, type Resource } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import { contentHash } from '../../core/version/content-hash.ts';
import { emptyLedger, formatLedger, markMade, reserve } from '../../core/version/ledger.ts';
import { versionObjectName } from '../../core/version/object-names.ts';
import type { ControllerContext } from '../context.ts';
import { ensureFirstVersion } from './first-version.ts';

const foo = { metadata: { namespace: 'ns', name: 'foo' }, data: { color: 'blue' } };
const { ledger: reserved } = reserve(emptyLedger, { contentHash: contentHash(foo) });
const first = versionObjectName('foo', 'u1', '1.0.0');

const rollout = (ledger: string, status?: ConfigRollout['status']): ConfigRollout =>
  ({
    metadata: {
      namespace: 'ns',
      name: 'configmap-foo',
      uid: 'u1',
      annotations: { [annotations.ledger]: ledger },
    },
    spec: { config: { kind: 'ConfigMap', name: 'foo' }, release: 'Auto' },
    ...(status && { status }),
  }) as unknown as ConfigRollout;

const answer = (code: number, reason: string) =>
  new ApiError(code, { apiVersion: 'v1', kind: 'Status', code, reason });

/** An API server that returns these states of the rollout, one per read, and rejects the first `refusals` patches. */
function context(looks: ConfigRollout[], refusals: number): ControllerContext {
  let refused = 0;
  const client: Pick<KubeClient, 'get' | 'create' | 'patch'> = {
    async get<T extends KubeObject>(resource: Resource): Promise<T> {
      if (resource === configMaps) return structuredClone(foo) as unknown as T;
      return (looks.length > 1 ? looks.shift() : looks[0]) as unknown as T;
    },
    async create<T extends KubeObject>(resource: Resource, object: T): Promise<T> {
      if (resource === configRollouts) throw answer(409, 'AlreadyExists');
      return object;
    },
    async patch<T extends KubeObject>(): Promise<T> {
      refused += 1;
      if (refused <= refusals) throw answer(422, 'Invalid');
      return looks[0] as unknown as T;
    },
  };
  return {
    client,
    log: silentLogger,
    cluster: { freshBodies: { take: () => undefined } },
  } as unknown as ControllerContext;
}

const ensure = (looks: ConfigRollout[], refusals = 0) =>
  ensureFirstVersion(context(looks, refusals), 'ns', 'ConfigMap', 'foo', new AbortController().signal);

test.each([
  ['nobody was at it', [rollout(formatLedger(emptyLedger))], 0],
  [
    'a reconciler reserves the name meanwhile',
    [rollout(formatLedger(emptyLedger)), rollout(formatLedger(reserved))],
    1,
  ],
  [
    'a reconciler makes it meanwhile',
    [rollout(formatLedger(emptyLedger)), rollout(formatLedger(markMade(reserved)))],
    1,
  ],
  [
    'a reconciler has made it, and did not write the status yet',
    [rollout(formatLedger(markMade(reserved)))],
    0,
  ],
])('the workload gets the first version when %s', async (_, looks, refusals) => {
  expect(await ensure(looks, refusals)).toBe(first);
});

test('a config that has had several versions is told by its status alone', async () => {
  const several = markMade(reserve(markMade(reserved), { contentHash: 'other' }).ledger);
  expect(await ensure([rollout(formatLedger(several))])).toBeUndefined();
  const current = { version: '1.0.1', object: 'foo-x', contentHash: 'other', since: '2026-01-01T00:00:00Z' };
  expect(await ensure([rollout(formatLedger(several), { current })])).toBe('foo-x');
});

test('who is always in the way is told of, and not waited for', async () => {
  await expect(ensure([rollout(formatLedger(emptyLedger))], 99)).rejects.toThrow(/has changed/);
});
