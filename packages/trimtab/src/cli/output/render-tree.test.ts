import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import {
  condition,
  currentVersion,
  finished,
  objectOf,
  rolloutInState,
  targetVersion,
  workload,
} from '../../../test/support/rollout-in-state.ts';
import { podInState } from '../../../test/support/tree-pod.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { TreePod } from '../../view/observed-pod.ts';
import { rolloutTree } from '../../view/rollout-tree.ts';
import { renderTree } from './render-tree.ts';
import { Screen, widthOf } from './screen.ts';

const now = Date.parse('2026-01-01T12:00:12Z');
const current = currentVersion('1.0.2');
const target = targetVersion('1.0.3', { by: 'anna', reason: 'the config was edited' });
const progressing = (message: string) => condition('Progressing', 'True', 'BeingCurrent', message);
const moving = { ...current, ...target, phase: 'BeingCurrent' as const };

interface View {
  pods?: TreePod[] | undefined;
  waves?: Record<string, number>;
  columns?: number;
  height?: number;
  env?: Record<string, string>;
}

function shown(rollout: ConfigRollout, { pods, waves = {}, columns, height, env }: View = {}): string {
  const output = { write: () => {}, ...(columns !== undefined && { isTTY: true, columns }) };
  const screen = new Screen(output, { LANG: 'C.UTF-8', NO_COLOR: '1', ...env });
  const versions = new Map(['1.0.2', '1.0.3'].map((version) => [objectOf(version), version]));
  const tree = rolloutTree({ rollout, pods, versions, waves: new Map(Object.entries(waves)) });
  const lines = renderTree(tree, screen, { now, ...(height !== undefined && { height }) });
  return `\n${lines.join('\n')}\n`;
}

const on = (version: string) => ({ version });
const web = [
  podInState('web-7f9c-aaaaa', on('1.0.3')),
  podInState('web-7f9c-bbbbb', { version: '1.0.3', ready: false }),
  podInState('web-5d4e-ccccc', on('1.0.2')),
  podInState('web-5d4e-ddddd', { version: '1.0.2', terminating: true }),
];
const isRollingOut = rolloutInState({
  ...moving,
  workloads: [workload('web', 'Progressing', [1, 3])],
  conditions: [progressing('Rolling out version 1.0.3: 0 of 1 workloads updated')],
});
const crash =
  'Deployment web: pod web-7f9c-bbbbb, container app: CrashLoopBackOff, exit code 3: no such color';
const crashing = [
  web[0] as TreePod,
  podInState('web-7f9c-bbbbb', {
    ...{ version: '1.0.3', ready: false, restarts: 2, waiting: 'CrashLoopBackOff' },
    ended: { exitCode: 3, message: 'no such color\ntry another one' },
  }),
];

const isRolledBack = rolloutInState({
  ...current,
  phase: 'Failed',
  workloads: [workload('web', 'Healthy', [1, 1])],
  history: [finished('1.0.3', 'RolledBack')],
  conditions: [
    condition(
      'Degraded',
      'True',
      'Rejected',
      `Version 1.0.3 was rolled back: ${crash}. Edit the config, or set annotation trimtab.dev/retry of the ConfigRollout to a new value to retry`,
    ),
  ],
});

test('a rollout that goes on shows which pods run which version', () => {
  expect(shown(isRollingOut, { pods: web })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling out version 1.0.3: 0 of 1 workloads updated
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                     STATE           VERSION   UPDATED   INFO
    configmap/foo            ⟳ rolling out   1.0.3     1/3
    └── deployment/web       ⟳ updating                1/3       recycle
        ├── web-7f9c-aaaaa   ✔ Ready         1.0.3
        ├── web-7f9c-bbbbb   ⟳ starting      1.0.3
        ├── web-5d4e-ccccc   ✔ Ready         1.0.2
        └── web-5d4e-ddddd   ‖ terminating   1.0.2
    "
  `);
});

test('a healthy version is observed for the bake time', () => {
  const rollout = rolloutInState({ ...moving, workloads: [workload('web', 'Healthy', [1, 1])] });
  expect(shown(rollout, { pods: web.slice(0, 1) })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Version 1.0.3 is healthy; it becomes current after a bake time of 10 s
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited
    Bake:       healthy for 4s of 10s

    NAME                     STATE       VERSION   UPDATED   INFO
    configmap/foo            ⟳ baking    1.0.3     1/1
    └── deployment/web       ✔ healthy             1/1       recycle
        └── web-7f9c-aaaaa   ✔ Ready     1.0.3
    "
  `);
});

test('a failed version names the pod that failed, and why', () => {
  const rollout = rolloutInState({
    ...moving,
    phase: 'RollingBack',
    workloads: [workload('web', 'Reverting', [1, 3])],
    conditions: [
      condition(
        'Progressing',
        'True',
        'RollingBack',
        'Rolling back version 1.0.3: 0 of 1 workloads reverted',
      ),
      condition('Degraded', 'True', 'CrashLoopBackOff', `Version 1.0.3 failed on ${crash}`),
    ],
  });
  expect(shown(rollout, { pods: crashing })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling back version 1.0.3: 0 of 1 workloads reverted
    Reason:     Deployment web: pod web-7f9c-bbbbb, container app: CrashLoopBackOff, exit code 3: no such color
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                     STATE                VERSION   UPDATED   INFO
    configmap/foo            ⟳ rolling back       1.0.3     1/3
    └── deployment/web       ⟳ rolling back                 1/3       recycle
        ├── web-7f9c-aaaaa   ✔ Ready              1.0.3
        └── web-7f9c-bbbbb   ✖ CrashLoopBackOff   1.0.3               2 restarts; container app: exit code 3: no such color try another one
    "
  `);
});

test('after a rollback the reason stays', () => {
  expect(shown(isRolledBack, { pods: [podInState('web-5d4e-ccccc', on('1.0.2'))] })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ✖ Version 1.0.3 was rolled back; version 1.0.2 is current
    Reason:     Deployment web: pod web-7f9c-bbbbb, container app: CrashLoopBackOff, exit code 3: no such color
    Current:    1.0.2, for 120m

    NAME                     STATE           VERSION   UPDATED   INFO
    configmap/foo            ✖ rolled back   1.0.2     1/1
    └── deployment/web       ✔ healthy                 1/1       recycle
        └── web-5d4e-ccccc   ✔ Ready         1.0.2
    "
  `);
});

test('a parked version says what it waits for', () => {
  const rollout = rolloutInState({
    ...moving,
    phase: 'Parked',
    workloads: [
      workload('web', 'ScaledToZero', [0, 0], {
        message:
          'Deployment web was scaled to zero during this activation; scale it up to have the version judged',
      }),
    ],
    conditions: [
      condition(
        'Ready',
        'False',
        'ScaledToZero',
        'Version 1.0.3 is parked: Deployment web was scaled to zero during this activation; scale it up to have the version judged',
      ),
    ],
  });
  expect(shown(rollout, { pods: [] })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ‖ Version 1.0.3 is parked
    Reason:     Deployment web was scaled to zero during this activation; scale it up to have the version judged
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                 STATE              VERSION   UPDATED   INFO
    configmap/foo        ‖ parked           1.0.3     0/0
    └── deployment/web   ‖ scaled to zero             0/0       recycle; Deployment web was scaled to zero during this activation; scale it up to have the version judged
    "
  `);
});

test('a paused rollout says that spec.paused holds it', () => {
  const text = 'The rollout is paused by spec.paused; version 1.0.3 waits, version 1.0.2 is current';
  const rollout = rolloutInState(
    {
      ...current,
      phase: 'Paused',
      workloads: [workload('web', 'Healthy', [1, 1])],
      conditions: [condition('Progressing', 'False', 'Paused', text)],
    },
    { spec: { paused: true, release: 'Manual' } },
  );
  expect(shown(rollout, { pods: web.slice(2, 3) })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ‖ The rollout is paused by spec.paused; version 1.0.3 waits, version 1.0.2 is current
    Current:    1.0.2, for 120m
    Release:    Manual

    NAME                     STATE       VERSION   UPDATED   INFO
    configmap/foo            ‖ paused    1.0.2     1/1
    └── deployment/web       ✔ healthy             1/1       recycle
        └── web-5d4e-ccccc   ✔ Ready     1.0.2
    "
  `);
});

test('a pinned workload is named, and the pods of others are listed apart', () => {
  const message =
    'Deployment web runs versions that another client set (kubectl rollout undo or GitOps); the next activation updates it';
  const rollout = rolloutInState({
    ...currentVersion('1.0.3'),
    phase: 'Current',
    workloads: [workload('web', 'Pinned', [0, 1], { message }), workload('api', 'Healthy', [1, 1])],
    conditions: [
      condition('Ready', 'False', 'Pinned', message),
      condition(
        'OptInLost',
        'True',
        'AnnotationGone',
        'The opt-in of Deployment api is gone; management continues',
      ),
    ],
  });
  const pods = [
    podInState('web-5d4e-ccccc', on('1.0.2')),
    podInState('api-6b7a-xxxxx', on('1.0.3')),
    podInState('migrate-q8r7s', { owner: { kind: 'Job', name: 'migrate' } }),
    podInState('debug', { owner: { kind: 'Pod', name: 'debug' } }),
  ];
  expect(shown(rollout, { pods })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ‖ Version 1.0.3 is current; not all workloads run it
    Reason:     Deployment web runs versions that another client set (kubectl rollout undo or GitOps); the next activation updates it
    Current:    1.0.3, for 120m
    Others:     job/migrate, pod/debug (not moved by Trimtab)
    Note:       The opt-in of Deployment api is gone; management continues

    NAME                     STATE       VERSION   UPDATED   INFO
    configmap/foo            ‖ pinned    1.0.3     1/2
    ├── deployment/web       ‖ pinned              0/1       recycle; Deployment web runs versions that another client set (kubectl rollout undo or GitOps); the next activation updates it
    │   └── web-5d4e-ccccc   ✔ Ready     1.0.2
    └── deployment/api       ✔ healthy             1/1       recycle
        └── api-6b7a-xxxxx   ✔ Ready     1.0.3
    "
  `);
});

test('workloads are in the order of their waves, with the configs that change together', () => {
  const rollout = rolloutInState({
    ...moving,
    ...targetVersion('1.0.3', { members: ['ConfigMap/foo', 'Secret/bar'] }),
    workloads: [
      workload('db', 'Pending', [0, 2], {
        kind: 'StatefulSet',
        message: 'Waiting for lower waves to finish before wave 2',
      }),
      workload('web', 'Progressing', [1, 3]),
      workload('cache', 'Healthy', [2, 2], { kind: 'DaemonSet', mode: 'Reload' }),
    ],
    conditions: [progressing('Rolling out version 1.0.3: 1 of 3 workloads updated')],
  });
  const pods = [
    ...web,
    podInState('db-0', { version: '1.0.2', owner: { kind: 'StatefulSet', name: 'db' } }),
    podInState('cache-x', { owner: { kind: 'DaemonSet', name: 'cache' } }),
  ];
  const waves = { 'StatefulSet/db': 2, 'Deployment/web': 1, 'DaemonSet/cache': 0 };
  expect(shown(rollout, { pods, waves })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling out version 1.0.3: 1 of 3 workloads updated
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s
    Together:   secret/bar

    NAME                     STATE           VERSION   UPDATED   INFO
    configmap/foo            ⟳ rolling out   1.0.3     3/7
    ├── daemonset/cache      ✔ healthy                 2/2       reload, wave 0
    │   └── cache-x          ✔ Ready         -
    ├── deployment/web       ⟳ updating                1/3       recycle, wave 1
    │   ├── web-7f9c-aaaaa   ✔ Ready         1.0.3
    │   ├── web-7f9c-bbbbb   ⟳ starting      1.0.3
    │   ├── web-5d4e-ccccc   ✔ Ready         1.0.2
    │   └── web-5d4e-ddddd   ‖ terminating   1.0.2
    └── statefulset/db       ‖ waiting                 0/2       recycle, wave 2; Waiting for lower waves to finish before wave 2
        └── db-0             ✔ Ready         1.0.2
    "
  `);
});

const fifty = [
  ...Array.from({ length: 48 }, (_, index) =>
    podInState(`web-7f9c-${String(index).padStart(5, '0')}`, on('1.0.3')),
  ),
  ...crashing.slice(1),
  podInState('web-5d4e-ccccc', on('1.0.2')),
];
const withFifty = rolloutInState({
  ...moving,
  workloads: [workload('web', 'Progressing', [48, 50])],
  conditions: [progressing('Rolling out version 1.0.3: 0 of 1 workloads updated')],
});

test('of fifty pods, a small screen shows those that need attention', () => {
  expect(shown(withFifty, { pods: fifty, columns: 120, height: 16 })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling out version 1.0.3: 0 of 1 workloads updated
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                                STATE                VERSION   UPDATED   INFO
    configmap/foo                       ⟳ rolling out        1.0.3     48/50
    └── deployment/web                  ⟳ updating                     48/50     recycle
        ├── web-7f9c-00000              ✔ Ready              1.0.3
        ├── web-7f9c-00001              ✔ Ready              1.0.3
        ├── web-7f9c-00002              ✔ Ready              1.0.3
        ├── web-7f9c-00003              ✔ Ready              1.0.3
        ├── web-7f9c-00004              ✔ Ready              1.0.3
        ├── web-7f9c-bbbbb              ✖ CrashLoopBackOff   1.0.3               2 restarts; container app: exit code 3: no…
        └── … 44 more pods, all Ready
    "
  `);
});

test('without a limit all fifty pods are shown', () => {
  const lines = shown(withFifty, { pods: fifty }).split('\n');
  expect(lines.filter((line) => line.includes('web-7f9c-0'))).toHaveLength(48);
});

test('of many workloads, a small screen shows those that need attention', () => {
  const names = Array.from({ length: 20 }, (_, index) => `app-${index}`);
  const rollout = rolloutInState({
    ...moving,
    workloads: names.map((name, index) =>
      index === 13
        ? workload(name, 'Failed', [0, 2], { message: 'pod x: Crashed' })
        : workload(name, 'Healthy', [2, 2]),
    ),
  });
  expect(shown(rollout, { pods: [], columns: 100, height: 12 })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling out version 1.0.3
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                      STATE           VERSION   UPDATED   INFO
    configmap/foo             ⟳ rolling out   1.0.3     38/40
    ├── deployment/app-0      ✔ healthy                 2/2       recycle
    ├── deployment/app-1      ✔ healthy                 2/2       recycle
    ├── deployment/app-13     ✖ failed                  0/2       recycle; pod x: Crashed
    └── … 17 more workloads
    "
  `);
});

test('a narrow terminal wraps the reason and cuts the tree', () => {
  expect(shown(isRolledBack, { pods: crashing, columns: 40 })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ✖ Version 1.0.3 was rolled
                back; version 1.0.2 is
                current
    Reason:     Deployment web: pod
                web-7f9c-bbbbb, container
                app: CrashLoopBackOff, exit
                code 3: no such color
    Current:    1.0.2, for 120m

    NAME                     STATE         …
    configmap/foo            ✖ rolled back …
    └── deployment/web       ✔ healthy     …
        ├── web-7f9c-aaaaa   ✔ Ready       …
        └── web-7f9c-bbbbb   ✖ CrashLoopBac…
    "
  `);
});

test('no line is wider than the terminal', () => {
  for (let columns = 1; columns <= 140; columns++) {
    const lines = shown(isRolledBack, { pods: crashing, columns, env: { NO_COLOR: '' } }).split('\n');
    expect(Math.max(...lines.slice(1, -1).map(widthOf)), `${columns} columns`).toBeLessThanOrEqual(columns);
  }
});

test('no tree has more lines than the screen', () => {
  for (let height = 1; height <= 70; height++) {
    const lines = shown(withFifty, { pods: fifty, columns: 80, height }).trim().split('\n');
    expect(lines.length).toBeLessThanOrEqual(height);
  }
});

test('without permission to list pods the workloads are shown alone', () => {
  expect(shown(isRollingOut)).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ⟳ Rolling out version 1.0.3: 0 of 1 workloads updated
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                 STATE           VERSION   UPDATED   INFO
    configmap/foo        ⟳ rolling out   1.0.3     1/3
    └── deployment/web   ⟳ updating                1/3       recycle
    "
  `);
});

test('where the locale is not UTF-8, the tree is drawn in ASCII', () => {
  expect(shown(isRollingOut, { pods: web, env: { LANG: 'C' } })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ~ Rolling out version 1.0.3: 0 of 1 workloads updated
    Current:    1.0.2, for 120m
    Target:     1.0.3, for 12s, requested by anna, the config was edited

    NAME                     STATE           VERSION   UPDATED   INFO
    configmap/foo            ~ rolling out   1.0.3     1/3
    \`-- deployment/web       ~ updating                1/3       recycle
        |-- web-7f9c-aaaaa   + Ready         1.0.3
        |-- web-7f9c-bbbbb   ~ starting      1.0.3
        |-- web-5d4e-ccccc   + Ready         1.0.2
        \`-- web-5d4e-ddddd   = terminating   1.0.2
    "
  `);
});

test('colours come in addition to symbols and words', () => {
  const coloured = shown(isRollingOut, { pods: web, columns: 100, env: { NO_COLOR: '' } });
  expect(coloured).toContain('\x1b[33m⟳ updating\x1b[0m');
  expect(stripVTControlCharacters(coloured)).toBe(shown(isRollingOut, { pods: web, columns: 100 }));
});

test('a config that no controller has seen says so', () => {
  expect(shown(rolloutInState(), { pods: [] })).toMatchInlineSnapshot(`
    "
    Name:       configmap/foo
    Namespace:  shop
    Status:     ‖ No controller has processed this config yet

    NAME            STATE             VERSION   UPDATED   INFO
    configmap/foo   ‖ not processed   -         0/0
    "
  `);
});
