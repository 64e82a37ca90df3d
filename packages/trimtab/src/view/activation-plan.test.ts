import { describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations, labels } from '../api/names.ts';
import { assignmentHash } from '../core/references/assignment.ts';
import { contentHash } from '../core/version/content-hash.ts';
import type { VersionMetadata } from '../core/version/version-metadata.ts';
import { activationPlan, type PlanInput, type PlannedObject, unmanagedPlan } from './activation-plan.ts';
import { workloadWarnings } from './workload-warnings.ts';

const version = (name: string, data: Record<string, string>, mods: Partial<VersionMetadata> = {}) => ({
  version: {
    ...{ kind: 'ConfigMap', config: 'foo', name, object: `foo-${name}`, contentHash: contentHash({ data }) },
    ...mods,
  } as VersionMetadata,
  body: { metadata: {}, data },
});

type Spec = NonNullable<PlannedObject['spec']>;
const probed = { name: 'app', readinessProbe: {} };
const volumes = [{ name: 'v', configMap: { name: 'foo' } }];

function workload(
  kind: PlannedObject['kind'],
  name: string,
  spec: Spec = {},
  marks: Record<string, string> = {},
): PlannedObject {
  const template = { spec: { containers: [probed], volumes } };
  return { kind, metadata: { name, annotations: marks }, spec: { replicas: 2, template, ...spec } };
}

function plan(workloads: PlannedObject[], mods: Partial<PlanInput> = {}, status: object = {}) {
  const managed = workloads
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .filter((key) => !key.includes('other'));
  const rollout = {
    metadata: {
      name: 'configmap-foo',
      namespace: 'n',
      annotations: { [annotations.workloads]: JSON.stringify(managed) },
    },
    spec: { config: { kind: 'ConfigMap', name: 'foo' }, strategy: {} },
    status: { phase: 'Current', current: { version: '1.0.0' }, ...status },
  } as unknown as ConfigRollout;
  const current = version('1.0.0', { a: '1' });
  return activationPlan({
    rollout,
    target: version('1.0.1', { a: '2' }),
    current,
    workloads,
    others: [],
    versions: [],
    live: new Map(),
    mountable: new Map(),
    hidden: [],
    now: 0,
    ...mods,
  });
}

const warningsOf = (it: PlannedObject, status?: object) =>
  plan([it], {}, status).waves[0]?.workloads[0]?.warnings;

test('workloads stand in the order of their waves, with the pods that take the version', () => {
  const it = plan([
    workload('Deployment', 'late', {}, { [annotations.wave]: '2' }),
    workload('StatefulSet', 'early', { replicas: 3 }, { [annotations.wave]: '-1' }),
    { ...workload('DaemonSet', 'agent'), status: { desiredNumberScheduled: 5 } },
  ]);
  expect(
    it.waves.map(({ wave, workloads }) => [wave, workloads.map(({ name, pods }) => `${name} ${pods}`)]),
  ).toEqual([
    [-1, ['early 3']],
    [0, ['agent 5']],
    [2, ['late 2']],
  ]);
  expect(it).toMatchObject({
    from: '1.0.0',
    version: '1.0.1',
    activates: true,
    pods: 10,
    changes: { changed: ['a'] },
  });
});

test('a workload that a user pinned is not updated', () => {
  const it = plan([workload('Deployment', 'web', {}, { [annotations.pin]: 'configmap/foo=foo-1' })]);
  expect(it).toMatchObject({ waves: [], pods: 0 });
  expect(it.warnings).toEqual([
    'Deployment web uses the config but is not updated: it is pinned by annotation trimtab.dev/pin',
    'All workloads of the config are pinned: the version is parked until one of them is unpinned',
  ]);
});

test('a sound workload needs no warning', () => {
  expect(warningsOf(workload('Deployment', 'web'))).toEqual([]);
});

const container = (more: object) => ({
  template: { spec: { containers: [{ ...probed, ...more }], volumes } },
});
const reload = { [annotations.restart]: 'false' };
const env = container({ envFrom: [{ configMapRef: { name: 'foo' } }] });
const subPath = container({ volumeMounts: [{ name: 'v', mountPath: '/x', subPath: 'a' }] });

test.each([
  ['one replica', workload('Deployment', 'web', { replicas: 1 }), /single replica/],
  ['a paused Deployment', workload('Deployment', 'web', { paused: true }), /paused/],
  ['OnDelete', workload('StatefulSet', 'db', { updateStrategy: { type: 'OnDelete' } }), /OnDelete/],
  ['Recreate', workload('Deployment', 'web', { strategy: { type: 'Recreate' } }), /Recreate/],
  [
    'no readiness probe',
    workload('Deployment', 'web', container({ readinessProbe: undefined })),
    /readiness.*app/,
  ],
  ['a reload that there is no agent for', workload('Deployment', 'web', env, reload), /no agent/],
])('a person is warned of %s', (_, it, warning) => {
  expect(warningsOf(it)).toEqual([expect.stringMatching(warning)]);
});

test('where there is no agent, a workload that requests a reload is said to be recycled', () => {
  const it = plan([workload('Deployment', 'web', {}, reload)]);
  expect(it.waves[0]?.workloads[0]?.how).toBe('recycle');
});

test.each([
  ['is warned of environment variables', env, 'env', [expect.stringMatching(/environment variables/)]],
  // The agent rewrites files that are mounted by subPath.
  ['is not warned of subPath', subPath, 'volume', []],
] as const)('who reloads %s', (_, spec, via, warnings) => {
  const references = [
    { kind: 'ConfigMap' as const, name: 'foo', pointer: '', via, keys: [], optional: false },
  ];
  const it = workload('Deployment', 'web', spec, reload);
  const judged = {
    workload: it,
    how: 'reload' as const,
    wantsReload: true,
    references,
    pods: 2,
    pinned: false,
  };
  expect(workloadWarnings(judged)).toEqual(warnings);
});

test('env and subPath are no matter where pods are replaced', () => {
  expect(warningsOf(workload('Deployment', 'web', env))).toEqual([]);
  expect(warningsOf(workload('Deployment', 'web', subPath))).toEqual([]);
});

test('a pinned workload is said to be moved', () => {
  const lines = { workloads: [{ kind: 'Deployment', name: 'web', state: 'Pinned' }] };
  expect(warningsOf(workload('Deployment', 'web'), lines)).toEqual([expect.stringMatching(/pinned/)]);
});

describe('a key that a template names and the version lacks', () => {
  const named = container({
    env: [{ name: 'B', valueFrom: { configMapKeyRef: { name: 'foo', key: 'b' } } }],
  });
  const text = 'Version 1.0.1 has no key "b", which Deployment web references';
  const replacing = (data: Record<string, string>) => ({ current: version('1.0.0', data) });

  test('is a problem when the current version has it, and nothing would begin', () => {
    const it = plan([workload('Deployment', 'web', named)], replacing({ a: '1', b: '2' }));
    expect(it).toMatchObject({ problems: [text], activates: false });
  });

  test('is named together with the others of the workload', () => {
    const two = container({
      env: ['b', 'c'].map((key) => ({ name: key, valueFrom: { configMapKeyRef: { name: 'foo', key } } })),
    });
    const it = plan([workload('Deployment', 'web', two)], replacing({ a: '1', b: '2', c: '3' }));
    expect(it.problems).toEqual(['Version 1.0.1 has no key "b", "c", which Deployment web references']);
  });

  test('is a warning when the current version lacks it, too', () => {
    const it = plan([workload('Deployment', 'web', named)], replacing({ a: '1' }));
    expect(it).toMatchObject({ problems: [], activates: true });
    expect(it.warnings).toContain(text);
  });
});

test('a workload that shares no config with those of the version is not checked, as by the controller', () => {
  const items = [{ key: 'x', path: 'x' }];
  const template = {
    spec: { containers: [probed], volumes: [{ name: 'v', configMap: { name: 'foo', items } }] },
  };
  const planWith = (managed: string[]) => {
    const bar = {
      metadata: {
        name: 'secret-bar',
        namespace: 'n',
        annotations: { [annotations.workloads]: JSON.stringify(managed) },
      },
      spec: { config: { kind: 'Secret', name: 'bar' }, release: 'Manual', strategy: {} },
    } as unknown as ConfigRollout;
    return plan([workload('Deployment', 'web'), workload('Deployment', 'other', { template })], {
      current: version('1.0.0', { a: '1', x: '1' }),
      others: [bar],
    });
  };
  expect(planWith(['Deployment/other'])).toMatchObject({ activates: true, problems: [] });
  // All workloads of configs that share workloads are checked.
  expect(planWith(['Deployment/other', 'Deployment/web'])).toMatchObject({
    activates: false,
    problems: ['Version 1.0.1 has no key "x", which Deployment other references'],
  });
});

test('a version whose content was modified is refused, unless the config itself has its content', () => {
  const target = version('1.0.1', { a: '2' }, { contentHash: contentHash({ data: { a: '3' } }) });
  const it = plan([workload('Deployment', 'web')], { target });
  expect(it).toMatchObject({
    activates: false,
    problems: ['Version 1.0.1 was modified (content hash differs); activation refused'],
  });
  const live = new Map([['ConfigMap/foo' as const, { metadata: {}, data: { a: '3' } }]]);
  expect(plan([workload('Deployment', 'web')], { target, live })).toMatchObject({
    activates: true,
    problems: [],
  });
});

describe('a workload that has opted out and runs a version', () => {
  const object = 'foo-1.0.0';
  const it = workload(
    'Deployment',
    'web',
    { template: { spec: { containers: [probed], volumes: [{ name: 'v', configMap: { name: object } }] } } },
    { [annotations.manage]: 'false' },
  );
  it.metadata.labels = { [labels.assigned]: assignmentHash(new Map([['ConfigMap/foo', object]])) };
  const holding = (data: Record<string, string>) =>
    plan([it], {
      current: version('1.0.0', { a: '1' }, { state: 'current' }),
      versions: [version('1.0.0', { a: '1' }).version, version('1.0.1', { a: '2' }).version],
      live: new Map([['ConfigMap/foo' as const, { metadata: {}, data }]]),
    });

  test('is updated while its opt-out waits, and the plan says why it waits', () => {
    expect(holding({ a: '2' }).waves[0]?.workloads[0]).toMatchObject({
      name: 'web',
      warnings: [
        'The workload has opted out and is updated until it can be set back: ConfigMap foo holds version 1.0.1, which is not current; request the version, or edit the config',
      ],
    });
  });

  test('is not updated when it can be set back', () => {
    const { waves, warnings } = holding({ a: '1' });
    expect(waves).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/^Deployment web uses the config but is not updated/)]);
  });
});

describe('a neighbour', () => {
  const mounting = (...configs: string[]) => ({
    template: {
      spec: {
        containers: [probed],
        volumes: configs.map((name) => ({ name, configMap: { name } })),
      },
    },
  });
  const bar = (n: number) =>
    ({
      ...version(`1.0.${n}`, { n: `${n}` }).version,
      config: 'bar',
      object: `bar-${n}`,
      rolloutUid: 'b',
    }) as VersionMetadata;
  const holding = (n: number) => new Map([['ConfigMap/bar' as const, { metadata: {}, data: { n: `${n}` } }]]);
  const target = { version: '1.0.1', object: 'bar-1', activation: 'x-1', members: ['ConfigMap/bar'] };
  const planWith = (status: object, mods: Partial<PlanInput> = {}, marks: Record<string, string> = {}) => {
    const neighbour = {
      metadata: {
        ...{ name: 'configmap-bar', namespace: 'n', uid: 'b' },
        annotations: { [annotations.workloads]: '["Deployment/web", "Deployment/second"]' },
      },
      spec: {
        config: { kind: 'ConfigMap', name: 'bar' },
        release: 'Auto',
        strategy: { minIntervalSeconds: 60 },
      },
      status: { phase: 'Current', current: { version: '1.0.0', object: 'bar-0' }, ...status },
    } as unknown as ConfigRollout;
    return plan(
      [
        workload('Deployment', 'web', mounting('foo', 'bar')),
        workload('Deployment', 'second', mounting('bar'), marks),
      ],
      { others: [neighbour], versions: [bar(0), bar(1)], live: holding(1), ...mods },
    );
  };
  const together = [
    'Version 1.0.1 of ConfigMap bar is activated together with this one, because both use a workload: they become current or are rolled back together',
  ];
  const unread = 'You may not read ConfigMap/bar: whether it was edited is taken from its ConfigRollout';

  test.each([
    ['that is parked', { phase: 'Parked', target }, {}, together],
    ['that was edited', {}, {}, together],
    [
      'that was edited, which only its status tells',
      { observed: { liveVersion: '1.0.1' } },
      { live: new Map() },
      [...together, unread],
    ],
  ])('%s is activated together with the config, with its own workloads', (_, status, mods, warnings) => {
    const it = planWith(status, mods);
    expect(it.together).toEqual([{ kind: 'ConfigMap', name: 'bar', version: '1.0.1' }]);
    expect(it.waves[0]?.workloads.map(({ name }) => name)).toEqual(['web', 'second']);
    expect(it.warnings).toEqual(warnings);
  });

  test.each([
    [
      'an edit of it',
      9,
      {},
      [expect.stringMatching(/^Version 1.0.1 of ConfigMap bar may be activated later.* Deployment second /)],
    ],
    ['an edit of it after the period', 11, {}, []],
    ['its parked activation', 9, { phase: 'Parked', target }, []],
  ])(
    'is activated together with the config, unless a pause period delays %s',
    (_, minutes, status, warnings) => {
      const ended = '2026-05-04T09:00:00Z';
      const it = planWith(
        { history: [{ finishedAt: ended }], ...status },
        { now: Date.parse(ended) + minutes * 60_000 },
        { 'deployment.reloader.stakater.com/pause-period': '10m' },
      );
      expect(it.together).toEqual([{ kind: 'ConfigMap', name: 'bar', version: '1.0.1' }]);
      expect(it.warnings).toEqual([...together, ...warnings]);
    },
  );

  const finishedAt = '2026-05-04T09:00:00Z';
  test.each([
    ['that was not edited', {}, { live: holding(0) }, []],
    [
      'whose minimum interval has not passed',
      { history: [{ finishedAt }] },
      { now: Date.parse(finishedAt) + 59_000 },
      [],
    ],
    ['of which nothing is known', {}, { live: new Map() }, [unread]],
  ])('%s stays as it is', (_, status, mods, warnings) => {
    const it = planWith(status, mods);
    expect([it.together, it.warnings]).toEqual([[], warnings]);
    expect(it.waves[0]?.workloads.map(({ name }) => name)).toEqual(['web']);
  });
});

test('a version that is being rolled back is activated after the rollback', () => {
  const it = plan(
    [workload('Deployment', 'web')],
    {},
    {
      phase: 'RollingBack',
      current: { version: '1.0.0', object: 'foo-1.0.0' },
      target: { version: '1.0.1', object: 'foo-1.0.1', activation: 'x-1', members: ['ConfigMap/foo'] },
    },
  );
  expect(it).toMatchObject({ activates: true, waves: [{ workloads: [{ name: 'web' }] }] });
  expect(it.warnings).toEqual([
    'Version 1.0.1 is being rolled back: it is activated again when the rollback has ended',
  ]);
});

test('what uses the config and is not moved, and what could not be looked at, is named', () => {
  const optedOut = workload('Deployment', 'out', {}, { [annotations.manage]: 'false' });
  const hidden = ['daemonsets', 'serviceaccounts'];
  const it = plan([workload('Deployment', 'other'), optedOut], { hidden });
  expect(it.waves).toEqual([]);
  expect(it.warnings).toEqual([
    expect.stringContaining('Deployment other'),
    expect.stringContaining('Deployment out'),
    expect.stringContaining('may not list daemonsets'),
    'You may not list serviceaccounts: whether they allow versions of Secrets is not checked',
  ]);
});

test('a version that was rolled back before, and an activation that is superseded, are named', () => {
  const rejected = JSON.stringify({ reason: 'exit code 3', sets: [] });
  const target = version('1.0.1', {}, { rejected });
  const running = { target: { version: '1.0.2', by: 'carol', activation: 'x' } };
  expect(plan([], { target }, running).warnings).toEqual([
    'Version 1.0.2, requested by carol, is superseded',
    'Version 1.0.1 was rolled back before: exit code 3',
  ]);
});

test('what is current already activates nothing', () => {
  expect(plan([workload('Deployment', 'web')], { target: version('1.0.0', { a: '1' }) })).toMatchObject({
    activates: false,
    changes: { added: [], removed: [], changed: [] },
  });
});

test('a workload that has opted in with an unmanaged config is not moved by a request', () => {
  const optedIn = workload('Deployment', 'in', {}, { [annotations.manage]: 'foo' });
  const optedOut = workload('Deployment', 'out', {}, { [annotations.manage]: 'false' });
  const live = { kind: 'ConfigMap', metadata: { name: 'foo' }, data: { a: '1' } };
  const it = unmanagedPlan({ kind: 'ConfigMap', namespace: 'n', name: 'foo' }, live, {
    workloads: [optedIn, optedOut],
    hidden: ['daemonsets'],
  });
  expect(it).toMatchObject({
    metadata: { name: 'configmap-foo' },
    activates: false,
    waves: [],
    problems: [],
  });
  expect(it.warnings.slice(1)).toEqual([
    expect.stringMatching(/^Deployment in has opted in and is not managed yet/),
    expect.stringMatching(/^Deployment out uses the config but is not updated/),
    'You may not list daemonsets: the plan does not include them',
  ]);
});
