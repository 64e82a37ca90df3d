import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import {
  currentVersion,
  objectOf,
  rolloutInState,
  targetVersion,
} from '../../../test/support/rollout-in-state.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import type { ControllerContext } from '../context.ts';
import { type EditedConfig, isAssignable } from './edited-config.ts';

const known = rolloutInState({ ...currentVersion('1.0.0'), phase: 'Current' });
const object = objectOf('1.0.1');

/** An old version that holds the content again. */
function oldVersion({
  labels: its = {},
  annotations: notes = {},
  ...more
}: Partial<KubeObject['metadata']> = {}) {
  return {
    kind: 'ConfigMap',
    metadata: {
      ...{ name: object, namespace: 'shop', uid: 'version-uid' },
      labels: { [labels.versionOf]: 'rollout-uid', [labels.inUse]: 'true', ...its },
      annotations: {
        [annotations.config]: 'foo',
        [annotations.version]: '1.0.1',
        [annotations.sequence]: '2',
        [annotations.contentHash]: 'hash',
        ...notes,
      },
      ...more,
    },
  };
}

/** What the API server answers: the stored rollout, then the stored version. */
function assignable(stored: ConfigRollout, version: KubeObject = oldVersion()): Promise<boolean> {
  const get = async (resource: { plural: string }) => (resource.plural === 'configmaps' ? version : stored);
  const context = { direct: { get }, log: silentLogger } as unknown as ControllerContext;
  const edited = { rollout: known, objects: new Set([object]) } as unknown as EditedConfig;
  return isAssignable(context, edited, object, new AbortController().signal);
}

test('an old version is assigned when rollout and version are stored as the plan knows them', async () => {
  expect(await assignable(structuredClone(known))).toBe(true);
});

describe('nothing is assigned when', () => {
  const { status, metadata } = known;
  test.each<[string, ConfigRollout]>([
    ['the rollout was paused just now', { ...known, metadata: { ...metadata, generation: 4 } }],
    ['an activation has begun', { ...known, status: { ...status, ...targetVersion('1.0.2') } as never }],
    [
      'another version became current',
      { ...known, status: { ...status, ...currentVersion('1.0.2') } as never },
    ],
    ['a rollback has begun', { ...known, status: { ...status, phase: 'RollingBack' } as never }],
    ['a user aborts', { ...known, metadata: { ...metadata, annotations: { [annotations.abort]: 'a-1' } } }],
    ['the rollout was created anew', { ...known, metadata: { ...metadata, uid: 'other' } }],
  ])('%s', async (_, stored) => {
    expect(await assignable(stored)).toBe(false);
  });

  test.each<[string, KubeObject]>([
    ['the version was rejected just now', oldVersion({ labels: { [labels.state]: 'rejected' } })],
    ['the version was aborted just now', oldVersion({ annotations: { [annotations.rejected]: '{}' } })],
    ['the version is being deleted', oldVersion({ deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ['the version is no longer in use', oldVersion({ labels: { [labels.inUse]: 'false' } })],
  ])('%s', async (_, version) => {
    expect(await assignable(structuredClone(known), version)).toBe(false);
  });
});
