import { describe, expect, test } from 'vitest';
import {
  key,
  requested,
  running,
  staying,
  version,
  workload,
} from '../../../test/support/activation-states.ts';
import { assignmentHash } from '../references/assignment.ts';
import { joinActivation } from './join-activation.ts';
import { planGroup } from './plan-group.ts';
import type { RolloutState } from './rollout-state.ts';
import type { WorkloadState } from './types.ts';

const web = 'Deployment/web';

/** A config that was edited just now: the content of 1.0.1 is wanted. */
const edited = (config: string, mods: Partial<RolloutState> = {}): RolloutState => ({
  ...staying(config),
  intent: { want: 'version', version: version(config, 1), because: 'edit', clearSpecVersion: false },
  ...mods,
});

/** The versions that hold the content of their configs, unless a test says which. */
const editsOf = (rollouts: RolloutState[]) =>
  new Map(
    rollouts.flatMap(({ config, intent }) =>
      intent.want === 'version' ? [[config, new Set([intent.version.object])] as const] : [],
    ),
  );

const join = (rollouts: RolloutState[], workloads: WorkloadState[], edits = editsOf(rollouts)) =>
  joinActivation(web, { rollouts, workloads, edits, newId: 'new-1', now: 0 });
const objects = (joined: ReturnType<typeof join>) => joined && [...joined.references.values()].sort();

test('a workload whose config was edited gets the new version, and the record leads back', () => {
  const joined = join([edited('foo')], [workload(web, { foo: 0 })]);
  expect(objects(joined)).toEqual(['foo-1']);
  expect(joined?.record).toMatchObject({ activation: 'new-1', joined: true, healthyTemplate: 't' });
  expect([...(joined?.record.previous ?? [])]).toEqual([['ConfigMap/foo', 'foo-0']]);
});

test('all configs of the workload that were edited arrive together', () => {
  const joined = join(
    [edited('foo'), edited('bar'), staying('zip')],
    [workload(web, { foo: 0, bar: 0, zip: 0 })],
  );
  expect(objects(joined)).toEqual(['bar-1', 'foo-1', 'zip-0']);
});

test('an activation that has begun with this version takes the workload, too', () => {
  const joined = join([edited('foo', { running: running('foo', 1) })], [workload(web, { foo: 0 })]);
  expect(objects(joined)).toEqual(['foo-1']);
  expect(joined?.record.activation).toBe('act-foo-1');
});

test('an edit that is about to supersede an activation takes the workload, and the way back stays that of the attempt', () => {
  const rollout = edited('foo', { running: running('foo', 2) });
  const joined = join([rollout], [workload(web, { foo: 2 })]);
  expect(objects(joined)).toEqual(['foo-1']);
  expect(joined?.record).toMatchObject({ activation: 'act-foo-2', joined: true });
  expect([...(joined?.record.previous ?? [])]).toEqual([['ConfigMap/foo', 'foo-0']]);
});

describe('joins nothing', () => {
  const rejections = [
    new Map([['ConfigMap/foo', '1.0.1']]),
  ] as RolloutState['versions'][number]['rejections'];
  const versions = [version('foo', 0), { ...version('foo', 1), rejections }];
  test.each<[string, RolloutState[], Partial<WorkloadState>?]>([
    ['without an edit', [staying('foo')]],
    ['when the rollout is paused', [edited('foo', { rules: { ...staying('foo').rules, paused: true } })]],
    ['before the minimum interval has passed', [edited('foo', { tooEarly: true })]],
    ['when the version lacks a key', [edited('foo', { preflight: { reason: 'KeyMissing', message: '' } })]],
    ['when the version was rejected', [edited('foo', { versions })]],
    [
      'when the version was aborted',
      [edited('foo', { versions: [version('foo', 0), { ...version('foo', 1), aborted: true }] })],
    ],
    [
      'while the version is rolled back',
      [edited('foo', { running: running('foo', 1, { rollingBack: true }) })],
    ],
    [
      'when it would supersede a rollback',
      [edited('foo', { running: running('foo', 2, { rollingBack: true }) })],
    ],
    [
      'when it would supersede a parked activation',
      [edited('foo', { running: running('foo', 2, { parked: true }) })],
    ],
    [
      'while another activation moves the workload',
      [edited('foo'), staying('bar', { running: running('bar', 1), intent: { want: 'wait for content' } })],
    ],
    ['when the workload is pinned', [edited('foo')], { pin: { references: new Map(), problems: [] } }],
  ])('%s', (_, rollouts, mods) => {
    const bar = rollouts.length > 1 ? 1 : 0;
    expect(join(rollouts, [{ ...workload(web, { foo: 0, bar }), ...mods }])).toBeUndefined();
  });

  test('when another config of the activation was not edited', () => {
    const both = [edited('foo'), requested('bar', 1)];
    const its = [workload(web, { foo: 0, bar: 0 })];
    expect(join(both, its, editsOf([edited('foo')]))).toBeUndefined();
    expect(join(both, its, editsOf([staying('foo')]))).toBeUndefined();
  });

  test('for a config whose content is current already', () => {
    const current = new Map([[key('foo'), new Set(['foo-0'])]]);
    expect(join([staying('foo'), requested('bar', 1)], [workload(web, { foo: 0, bar: 0 })], current)).toBe(
      undefined,
    );
  });

  test('while its wave is not open', () => {
    const first = workload('Deployment/first', { foo: 0 });
    expect(join([edited('foo')], [first, { ...workload(web, { foo: 0 }), wave: 1 }])).toBeUndefined();
  });
});

describe('while the activation in progress is about to be superseded', () => {
  const ahead = (activation = 'act-foo-2'): WorkloadState => {
    const its = workload(web, { foo: 2 });
    return { ...its, record: its.record && { ...its.record, activation, joined: true } };
  };
  const inProgress = (mods: Partial<RolloutState> = {}) =>
    edited('foo', {
      running: running('foo', 1),
      intent: { want: 'version', version: version('foo', 2), because: 'edit', clearSpecVersion: false },
      coalescing: true,
      ...mods,
    });
  const planned = (rollout: RolloutState, workloads: WorkloadState[], now = 0) => {
    const memory = new Map([
      ['act-foo-1', { openWave: 0, healthySince: undefined, idleSince: undefined, health: new Map() }],
    ]);
    const plan = planGroup([rollout], workloads, memory, now, () => 'a-1');
    return { plan: plan.activations[0]?.plan, id: plan.activations[0]?.activation.id };
  };

  test('a workload that is ahead is neither taken back nor judged, and the activation does not end', () => {
    const { plan, id } = planned(
      inProgress(),
      [ahead(), workload('Deployment/other', { foo: 1 })],
      1_000_000,
    );
    expect(id).toBe('act-foo-1');
    expect(plan?.commands).toEqual([]);
    expect(plan?.outcome).toEqual({ result: 'moving' });
    expect(plan?.workloads.get(web)).toEqual({ state: 'progressing' });
  });

  test('the activation that follows finds it moved', () => {
    const { plan, id } = planned(inProgress({ coalescing: false }), [ahead()]);
    expect(id).toBe('act-foo-2');
    expect(plan?.commands).toEqual([]);
  });

  test('it follows the activation in progress again when the edit comes to nothing', () => {
    const refused = inProgress({ coalescing: false, preflight: { reason: 'KeyMissing', message: '' } });
    expect(planned(refused, [ahead()]).plan?.commands).toMatchObject([
      { do: 'assign', references: new Map([['ConfigMap/foo', 'foo-1']]) },
    ]);
  });

  test('a user who undoes it keeps what the undo chose', () => {
    const undone: WorkloadState = {
      ...workload(web, { foo: 1 }),
      label: ahead().label,
      assignment: 'pinned',
    };
    expect(planned(inProgress(), [undone]).plan?.commands).toEqual([]);
    const { plan, id } = planned(inProgress({ coalescing: false }), [undone]);
    expect([id, plan?.workloads.get(web), plan?.commands]).toEqual(['act-foo-2', { state: 'left' }, []]);
  });

  test('the way back leads to what is current when the activation in progress has become current', () => {
    const rollingBack = staying('foo', {
      current: { name: '1.0.1', object: 'foo-1' },
      running: { ...running('foo', 2, { rollingBack: true }), activation: 'later-1' },
    });
    const its = { ...ahead(), current: new Map([[key('foo'), 'foo-1']]) };
    expect(planned(rollingBack, [its]).plan?.commands).toMatchObject([
      { do: 'revert', references: new Map([['ConfigMap/foo', 'foo-1']]) },
    ]);
  });

  test('it does not wait for a neighbour that is edited, when its own edit came to nothing', () => {
    const [foo, bar] = ['foo', 'bar'].map((config) => inProgress({ config: key(config), coalescing: false }));
    if (foo === undefined || bar === undefined) throw new Error('two configs are in progress');
    foo.intent = { want: 'wait for content' };
    const both = { members: [key('foo'), key('bar')] };
    const neighbour = {
      ...edited('bar', { coalescing: true }),
      running: { ...running('bar', 1), ...both, activation: 'act-foo-1' },
    };
    const its = {
      ...ahead(),
      references: new Map([...ahead().references, [key('bar'), 'bar-1']]),
      current: new Map([...ahead().current, [key('bar'), 'bar-0']]),
    };
    const plan = planGroup(
      [{ ...foo, running: { ...running('foo', 1), ...both } }, neighbour],
      [its],
      new Map(),
      0,
      () => 'a-1',
    );
    expect(plan.activations[0]?.plan.commands).toMatchObject([{ do: 'assign', workload: web }]);
  });

  test('a workload with the record of another attempt is taken to the targets', () => {
    expect(planned(inProgress(), [ahead('other-2')]).plan?.commands).toMatchObject([{ do: 'assign' }]);
  });
});

describe('until the activation begins', () => {
  const moved = { ...workload(web, { foo: 1 }) };
  const record = moved.record && { ...moved.record, joined: true as const };
  const repairs = (rollout: RolloutState, its: Partial<WorkloadState>) =>
    planGroup([rollout], [{ ...moved, ...its }], new Map(), 0, () => 'a-1').repairs;

  test('a workload that joined is not taken back', () => {
    expect(repairs(edited('foo', { coalescing: true }), record ? { record } : {})).toEqual([]);
  });

  test('a workload that joined is not taken back when the config is edited once more', () => {
    const its = record ? { record } : {};
    expect(repairs(staying('foo', { coalescing: true, intent: { want: 'wait for version' } }), its)).toEqual(
      [],
    );
    const version2 = { ...version('foo', 2) };
    const intent = { want: 'version', version: version2, because: 'edit', clearSpecVersion: false } as const;
    expect(repairs(staying('foo', { coalescing: true, intent }), its)).toEqual([]);
  });

  test.each([
    [
      'is repaired when the last edit gets no version',
      staying('foo', { intent: { want: 'wait for version' } }),
      { joined: true },
    ],
    ['that did not join is repaired', edited('foo', { coalescing: true }), {}],
    [
      'is repaired when its version is not wanted any more',
      staying('foo', { coalescing: true }),
      { joined: true },
    ],
    ['is repaired when no activation begins', edited('foo', { tooEarly: true }), { joined: true }],
  ] as const)('a workload %s', (_, rollout, { joined = false }: { joined?: boolean }) => {
    const wanted = new Map([['ConfigMap/foo', 'foo-0']]);
    expect(repairs(rollout, joined && record ? { record } : {})).toMatchObject([
      { do: 'assign', label: assignmentHash(wanted as never) },
    ]);
  });
});
