import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { emptyLedger, formatLedger, recordDeletions } from '../../core/version/ledger.ts';
import { refuseGoing } from './refuse-going.ts';

const address = { kind: 'Secret', namespace: 'shop', name: 'bar' } as const;
const version = { name: '1.0.0', object: 'bar-aaaaaaaaaa', uid: 'uid-0', sequence: 1 };

/** A rollout whose ledger records the deletion of these versions. */
function rollout(...recorded: (typeof version)[]): ConfigRollout {
  const ledger = formatLedger(recordDeletions(emptyLedger, recorded, [version]));
  return {
    metadata: { name: 'secret-bar', uid: 'rollout', annotations: { [annotations.ledger]: ledger } },
    spec: { config: { kind: 'Secret', name: 'bar' } },
  } as unknown as ConfigRollout;
}

/** A cluster with the version 1.0.0; without it, when `its` is undefined. */
function cluster(its: Record<string, string> | undefined): KubeClient {
  const found = {
    metadata: {
      ...{ namespace: 'shop', name: version.object, uid: version.uid },
      labels: { [labels.config]: 'bar', [labels.versionOf]: 'rollout' },
      annotations: {
        [annotations.version]: version.name,
        [annotations.sequence]: '1',
        [annotations.config]: 'bar',
        [annotations.contentHash]: 'h',
        ...its,
      },
    },
  };
  return {
    async get(_: unknown, { name }: { name: string }) {
      if (its !== undefined && name === version.object) return found;
      throw new ApiError(404, { kind: 'Status', apiVersion: 'v1', reason: 'NotFound', code: 404 });
    },
    async list() {
      return { metadata: {}, items: its === undefined ? [] : [found] };
    },
  } as unknown as KubeClient;
}

const mark = { [annotations.purge]: 'alice' };
const other = { ...version, name: '1.0.1', object: 'bar-bbbbbbbbbb', uid: 'uid-1' };

test.each<[string, ConfigRollout, Record<string, string> | undefined, string | undefined]>([
  ['that is not recorded as deleted is activated', rollout(other), {}, undefined],
  ['whose deletion was refused, or that is left to revisions, is activated', rollout(version), {}, undefined],
  [
    'that is marked, but not recorded yet, is activated: the purge sees the request',
    rollout(),
    mark,
    undefined,
  ],
  [
    'that is being purged is not',
    rollout(version),
    mark,
    'version "1.0.0" of secrets "bar" is being purged by',
  ],
  ['that was deleted is not', rollout(version), undefined, 'secrets "bar" has no version "1.0.0"'],
])('a version %s', async (_, seen, its, refusal) => {
  const writer = { client: cluster(its), fieldManager: 'test' };
  const refusing = refuseGoing(writer, address, seen, '1.0.0');
  if (refusal === undefined) await refusing;
  else await expect(refusing).rejects.toThrow(refusal);
});
