import { describe, expect, test } from 'vitest';
import { assignmentHash } from '../references/assignment.ts';
import type { ConfigKey } from '../references/config-key.ts';
import type { ObservedWorkload } from '../workload/observed.ts';
import { repairCommand } from './repair.ts';
import type { WorkloadState } from './types.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const refs = (object: string) => new Map([[foo, object]]);

const healthy: ObservedWorkload = {
  kind: 'Deployment',
  generation: 1,
  observedGeneration: 1,
  desired: 1,
  replicas: 1,
  updated: 1,
  ready: 1,
  available: 1,
  strategy: 'RollingUpdate',
  partition: 0,
  rolledOut: true,
  stalled: false,
  paused: false,
};

const record = {
  activation: 'a-1',
  previous: refs('foo-0'),
  previousLabel: 'x',
  healthyTemplate: 't',
};

const repair = (mods: Partial<WorkloadState>) =>
  repairCommand({
    key: 'Deployment/web',
    wave: 0,
    references: refs('foo-1'),
    current: refs('foo-1'),
    assignment: 'ours',
    label: assignmentHash(refs('foo-1')),
    record,
    templateHash: 't',
    observed: healthy,
    pods: [],
    ...mods,
  });

test('a workload whose other config is still on its way to a rollout waits, so that it is moved once', () => {
  const named = { references: refs('foo'), assignment: 'unassigned' as const, label: undefined };
  expect(repair(named)).toMatchObject({ do: 'assign' });
  expect(repair({ ...named, isPartial: true })).toBeUndefined();
});

describe('without an activation', () => {
  test('a workload that has what is current is left alone', () => {
    expect(repair({})).toBeUndefined();
  });

  test('a manifest that names the original gets what is current', () => {
    expect(
      repair({ references: refs('foo'), assignment: 'unassigned', label: undefined, record: undefined }),
    ).toMatchObject({
      do: 'assign',
      references: refs('foo-1'),
      label: assignmentHash(refs('foo-1')),
      record: { previous: refs('foo-1') },
    });
  });

  test('a workload that was left behind gets what is current', () => {
    expect(repair({ references: refs('foo-0'), label: assignmentHash(refs('foo-0')) })).toMatchObject({
      references: refs('foo-1'),
    });
  });

  test('a workload that never wanted pods still counts as such afterwards', () => {
    const behind = { references: refs('foo-0'), label: assignmentHash(refs('foo-0')) };
    const noPods = { ...record, noPods: true };
    const recordOf = (mods: Partial<WorkloadState>) => {
      const command = repair({ ...behind, ...mods });
      return command?.do === 'assign' ? command.record : undefined;
    };
    const idle = { ...healthy, desired: 0, replicas: 0, updated: 0, ready: 0, available: 0 };
    expect(recordOf({ record: noPods, observed: idle })).toMatchObject({ activation: 'a-1', noPods: true });
    expect(recordOf({ record: noPods })).not.toHaveProperty('noPods');
    expect(recordOf({ observed: idle })).not.toHaveProperty('noPods');
  });

  test('what somebody chose is left alone', () => {
    expect(repair({ references: refs('foo-0'), assignment: 'pinned' })).toBeUndefined();
  });

  test('what somebody chose is ours again when it is what is current', () => {
    const label = assignmentHash(refs('foo-9'));
    expect(repair({ assignment: 'pinned', label })).toMatchObject({
      do: 'assign',
      references: refs('foo-1'),
      label: assignmentHash(refs('foo-1')),
    });
    expect(repair({ assignment: 'pinned', label, isMixed: true })).toBeUndefined();
  });

  describe('a template that names one config itself and a version of another', () => {
    const current = new Map<ConfigKey, string>([
      [foo, 'foo-1'],
      ['Secret/db', 'db-1'],
    ]);
    const partly = (object: string) =>
      new Map<ConfigKey, string>([
        [foo, object],
        ['Secret/db', 'db'],
      ]);

    test.each([
      ['a config that joined', assignmentHash(refs('foo-1'))],
      ['a manifest that was partly applied again', assignmentHash(current)],
    ])('gets all current versions: %s', (_, label) => {
      expect(repair({ references: partly('foo-1'), current, assignment: 'unassigned', label })).toMatchObject(
        {
          references: current,
          label: assignmentHash(current),
        },
      );
    });

    test('keeps a version that somebody chose, and stays pinned', () => {
      const label = assignmentHash(current);
      const command = repair({ references: partly('foo-0'), current, assignment: 'unassigned', label });
      expect(command).toMatchObject({ label });
      expect(command?.do === 'assign' && [...command.references.values()]).toEqual(['foo-0', 'db-1']);
    });
  });

  test('a template that has become healthy is written down, for a later failure to be compared with', () => {
    expect(repair({ templateHash: 'new image' })).toMatchObject({
      do: 'note',
      record: { ...record, healthyTemplate: 'new image' },
    });
    expect(repair({ templateHash: 'new image', observed: { ...healthy, available: 0 } })).toBeUndefined();
  });
});

describe('a template that assigns versions in another way than the workload wants', () => {
  const isMiswritten = true;

  test('is written in the wanted way', () => {
    expect(repair({ isMiswritten })).toMatchObject({ do: 'assign', references: refs('foo-1') });
  });

  test.each([
    ['after an undo', assignmentHash(refs('foo-1')), record],
    ['after a replacement that dropped the label', undefined, undefined],
  ])('keeps the versions that somebody chose, and stays pinned: %s', (_, label, its) => {
    const pinned = { isMiswritten, references: refs('foo-0'), assignment: 'pinned' as const };
    expect(repair({ ...pinned, label, record: its })).toEqual({
      do: 'rewrite',
      workload: 'Deployment/web',
      references: refs('foo-0'),
      label,
      record: its,
    });
    expect(repair({ ...pinned, label, isMixed: true })).toBeUndefined();
    expect(repair({ ...pinned, label, isPartial: true })).toBeUndefined();
  });
});

describe('a workload that a user pinned', () => {
  const pin = { references: refs('foo-0'), problems: [] };
  const [old, label] = [refs('foo-0'), assignmentHash(refs('foo-0'))];

  test('keeps its versions, and gets them when it does not have them', () => {
    expect(repair({ pin, references: old, label })).toBeUndefined();
    expect(repair({ pin })).toMatchObject({ do: 'assign', references: old, label });
    expect(repair({ pin, references: refs('foo'), assignment: 'unassigned' })).toMatchObject({
      references: old,
      label,
    });
  });

  test('keeps what another client chose, and is ours when that is what was pinned', () => {
    const chosen = { pin, assignment: 'pinned' as const };
    expect(repair({ ...chosen, references: refs('foo-9') })).toBeUndefined();
    expect(repair({ ...chosen, references: old })).toMatchObject({ do: 'assign', references: old, label });
  });

  test('gets what is current when the pin is gone', () => {
    expect(repair({ references: old, label })).toMatchObject({ do: 'assign', references: refs('foo-1') });
  });
});
