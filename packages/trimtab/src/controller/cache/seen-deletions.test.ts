import { expect, test } from 'vitest';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { emptyLedger, formatLedger, type Ledger, recordDeletions } from '../../core/version/ledger.ts';
import type { ConfigMetadata } from './configs.ts';
import { SeenDeletions } from './seen-deletions.ts';

const version = (name: string, uid: string): ConfigMetadata => ({
  ...{
    kind: 'ConfigMap',
    namespace: 'ns',
    name: `foo-${name}`,
    uid,
    deleting: false,
    ownerReferences: [],
    isForReloader: true,
  },
  labels: { [labels.versionOf]: 'u1' },
  annotations: {
    [annotations.config]: 'foo',
    [annotations.version]: name,
    [annotations.contentHash]: 'hash',
    [annotations.sequence]: '1',
  },
});
const rollout = (ledger: Ledger): ConfigRollout =>
  ({
    metadata: { uid: 'u1', annotations: { [annotations.ledger]: formatLedger(ledger) } },
  }) as unknown as ConfigRollout;
const named = (name: string, uid: string) => ({ rolloutUid: 'u1', name, uid });

test('a version that has the name of one whose deletion was seen is void, also before the ledger arrives', () => {
  const seen = new SeenDeletions((uid) => uid === 'u1');
  seen.noteVersion({ key: 'ns/foo-1.0.1', after: version('1.0.1', 'a') });
  expect(seen.isVoid(named('1.0.1', 'a'))).toBe(false);
  seen.noteVersion({ key: 'ns/foo-1.0.1', before: version('1.0.1', 'a') });
  expect(seen.isVoid(named('1.0.1', 'b'))).toBe(true);
  expect(seen.isVoid(named('1.0.2', 'b'))).toBe(false);
  expect(seen.isVoid({ ...named('1.0.1', 'b'), rolloutUid: 'u2' })).toBe(false);
});

test('an object that was replaced between two events counts as deleted', () => {
  const seen = new SeenDeletions((uid) => uid === 'u1');
  seen.noteVersion({ key: 'k', before: version('1.0.1', 'a'), after: version('1.0.1', 'b') });
  expect(seen.isVoid(named('1.0.1', 'b'))).toBe(true);
});

test('a deletion is written to the ledger, and forgotten when the ledger has it', () => {
  const seen = new SeenDeletions((uid) => uid === 'u1');
  seen.noteVersion({ key: 'k', before: version('1.0.1', 'a') });
  const missing = seen.unrecorded('u1', emptyLedger);
  expect(missing).toMatchObject([{ name: '1.0.1', uid: 'a' }]);
  const recorded = recordDeletions(emptyLedger, missing, []);
  expect(seen.unrecorded('u1', recorded)).toEqual([]);
  seen.noteRollout({ key: 'r', before: rollout(emptyLedger), after: rollout(recorded) });
  expect(seen.isVoid(named('1.0.1', 'b')), 'from now on the ledger says so').toBe(false);
});

test('the deletions of a rollout that is gone are forgotten', () => {
  const seen = new SeenDeletions((uid) => uid === 'u1');
  seen.noteVersion({ key: 'k', before: version('1.0.1', 'a') });
  seen.noteRollout({ key: 'r', before: rollout(emptyLedger) });
  expect(seen.unrecorded('u1', emptyLedger)).toEqual([]);
});

test('the deletion of a version without a rollout is not kept', () => {
  const seen = new SeenDeletions(() => false);
  seen.noteVersion({ key: 'k', before: version('1.0.1', 'a') });
  expect(seen.isVoid(named('1.0.1', 'b'))).toBe(false);
});
