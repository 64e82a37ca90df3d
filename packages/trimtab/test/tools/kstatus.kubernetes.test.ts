import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps, deployments, statefulSets } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import {
  type ConfigRollout,
  type ConfigRolloutStatus,
  configRollouts,
} from '../../src/api/config-rollout.ts';
import { configRollout } from '../support/config-rollout.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { installedStory } from '../support/installed-story.ts';
import { kstatus } from '../support/kstatus.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { isRolledBack } from '../support/outcomes.ts';
import type { ReleaseStory } from '../support/release-story.ts';
import { condition, rolloutInState } from '../support/rollout-in-state.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { computeStatus, statusSequence } from './support/kstatus.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mounting = [mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp] as const;
const workloads = ['web', 'db'];
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));

/** Records every state of the objects of a kind that a client could read. */
async function recorded<T extends KubeObject>(
  it: ReleaseStory,
  resource: Parameters<typeof StateRecording.start<T>>[1],
  name: string,
) {
  const recording = await StateRecording.start<T>(it.client, resource, { namespace: it.namespace });
  let from = 0;
  return {
    all: async () => (await recording.upToNow()).filter(({ metadata }) => metadata.name === name),
    /** How the status that kstatus computes has changed since the last call. */
    async next() {
      const states = await this.all();
      const last = states.slice(Math.max(from - 1, 0), from);
      const sequence = statusSequence([...last, ...states.slice(from)]).slice(last.length);
      from = states.length;
      return sequence;
    },
    [Symbol.asyncDispose]: () => recording[Symbol.asyncDispose](),
  };
}

test('a client of kstatus sees each outcome as it is, and nothing as current that is not', {
  timeout: 240_000,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using rollout = await recorded<ConfigRollout>(it, configRollouts, 'configmap-foo');
  await using web = await recorded(it, deployments, 'web');
  await using db = await recorded(it, statefulSets, 'db');

  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configRollout('foo', { bakeSeconds: 1 }),
    deployment('web', ...mounting),
    statefulSet('db', ...mounting),
  );
  await settled(it, '1.0.0', workloads);
  expect(await rollout.next(), 'a ConfigRollout that a user creates').toEqual(['InProgress', 'Current']);
  expect(computeStatus(await rollout.all())[0]?.message, 'before the controller has seen it').toBe(
    'ConfigRollout generation is 1, but latest observed generation is -1',
  );

  await edit(it, { color: 'green' });
  await settled(it, '1.0.1', workloads);
  expect(await rollout.next(), 'a release').toEqual(['InProgress', 'Current']);

  await edit(it, { web: 'crash-loop' });
  await isRolledBack(it, '1.0.2');
  expect(await rollout.next(), 'a version that is rejected').toEqual(['InProgress', 'Failed']);
  expect(computeStatus([await it.rollout()])[0]?.message).toMatch(
    /^Version 1\.0\.2 was rolled back: Deployment web: pod web-/,
  );

  await edit(it, { color: 'yellow' });
  await settled(it, '1.0.3', workloads);
  expect(await rollout.next(), 'the edit after it').toEqual(['InProgress', 'Current']);

  const spec = (body: object) =>
    it.client.patch(
      configRollouts,
      { namespace: it.namespace, name: 'configmap-foo' },
      { type: 'merge', body: { spec: body } },
    );
  await spec({ paused: true });
  await it.rolloutIs('it is paused', ({ phase }) => phase === 'Paused');
  expect((await rollout.next()).at(-1), 'a pause while nothing waits').toBe('Current');
  await edit(it, { color: 'red' });
  await isNotReady(it, 'a version waits', 'Paused', /version 1\.0\.4 waits/);
  expect((await rollout.next()).at(-1), 'a release that a person paused').toBe('Failed');
  await edit(it, { color: 'orange' });
  await isNotReady(it, 'another version waits', 'Paused', /version 1\.0\.5 waits/);
  expect(await rollout.next(), 'another edit while it is paused').not.toContain('Current');
  await spec({ paused: false });
  await settled(it, '1.0.5', workloads);
  expect(await rollout.next()).toEqual(['InProgress', 'Current']);

  await spec({ strategy: { minIntervalSeconds: 3600 } });
  await edit(it, { color: 'purple' });
  await isNotReady(it, 'it waits', 'WaitingForInterval');
  expect((await rollout.next()).at(-1), 'a release that waits for its interval').toBe('InProgress');
  await spec({ strategy: { minIntervalSeconds: 0 } });
  await settled(it, '1.0.6', workloads);
  expect(await rollout.next(), 'its end').toEqual(['Current']);

  await spec({ version: '1.0.0' });
  await settled(it, '1.0.0', workloads);
  expect(await rollout.next(), 'a rollback that a person requests').toEqual(['InProgress', 'Current']);

  // An object is deleted at once unless somebody holds it.
  const finalizers = (names: string[]) =>
    it.client.patch(
      configRollouts,
      { namespace: it.namespace, name: 'configmap-foo' },
      { type: 'merge', body: { metadata: { finalizers: names } } },
    );
  await finalizers(['example.com/hold']);
  await it.when.deleted(configRollouts, 'configmap-foo');
  await finalizers([]);
  // The controller creates it again, because the workloads are still opted in.
  expect((await rollout.next())[0], 'a ConfigRollout that is being deleted').toBe('Terminating');

  for (const workload of [web, db]) {
    // The controller that creates the ConfigRollout again may still write to the workload.
    await waitFor('the workload is current at the end', async () => {
      const seen = computeStatus((await workload.all()).slice(-1))[0]?.status ?? 'no state';
      return seen === 'Current' ? { met: true } : { seen };
    });
    const sequence = await workload.next();
    expect(new Set(sequence), 'a workload is never failed').toEqual(new Set(['InProgress', 'Current']));
  }
  const states = await rollout.all();
  expect(states.length).toBeGreaterThan(20);
  expect(states.map(kstatus), 'the rules of the local tests').toEqual(
    computeStatus(states).map(({ status }) => status),
  );
});

test('the rules of the tests on the local cluster are those of kstatus', () => {
  const of = (...conditions: [type: string, status: 'True' | 'False' | 'Unknown'][]): ConfigRollout =>
    rolloutInState({
      observedGeneration: 3,
      conditions: conditions.map(([type, status]) => ({
        ...condition(type, 'True', 'AsExpected', 'as expected'),
        status,
      })),
    });
  const ready = of(['Ready', 'True']);
  const observing = (observedGeneration: number): ConfigRolloutStatus => ({
    ...ready.status,
    observedGeneration,
  });
  const table: [object: ConfigRollout, expected: ReturnType<typeof kstatus>][] = [
    [rolloutInState(), 'Current'],
    [{ ...rolloutInState(), status: { observedGeneration: -1 } }, 'InProgress'],
    [rolloutInState(observing(2)), 'InProgress'],
    [ready, 'Current'],
    [of(['Ready', 'False']), 'InProgress'],
    [of(['Ready', 'Unknown']), 'InProgress'],
    [of(['Ready', 'False'], ['Reconciling', 'True'], ['Stalled', 'False']), 'InProgress'],
    [of(['Ready', 'False'], ['Reconciling', 'False'], ['Stalled', 'True']), 'Failed'],
    [of(['Ready', 'True'], ['Stalled', 'True']), 'Failed'],
    [of(['Reconciling', 'True'], ['Stalled', 'True']), 'InProgress'],
    [of(['Stalled', 'True'], ['Reconciling', 'True']), 'Failed'],
    [of(['Degraded', 'True']), 'Current'],
    [{ ...ready, metadata: { ...ready.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }, 'Terminating'],
  ];
  const objects = table.map(([object]) => object);
  const expected = table.map(([, status]) => status);
  expect(computeStatus(objects).map(({ status }) => status)).toEqual(expected);
  expect(objects.map(kstatus)).toEqual(expected);
});

test('right after an edit, a wait for Ready or kstatus ends too early; trimtab wait does not', {
  timeout: 120_000,
}, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.given.objects(
    configMap('foo', { color: 'blue' }),
    configRollout('foo', { bakeSeconds: 1 }),
    deployment('web', ...mounting),
  );
  await settled(it, '1.0.0', ['web']);
  const folder = await mkdtemp(path.join(tmpdir(), 'kstatus-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
    const wait = (timeout: string) => terminal.run(`trimtab wait foo --for=ready --timeout=${timeout}`);

    // A controller that is away is as one that has not seen the edit yet.
    await it.controllerRestarts(async () => {
      await edit(it, { color: 'green' });
      const rollout = await it.rollout();
      expect(computeStatus([rollout])).toEqual([{ status: 'Current', message: 'Resource is Ready' }]);
      const naive = 'kubectl wait configrollout/configmap-foo --for=condition=Ready --timeout=1s';
      expect((await terminal.run(naive)).code).toBe(0);
      expect(await wait('1s')).toMatchObject({
        code: 4,
        stderr: expect.stringContaining('waiting for the controller to process the last edit'),
      });
    });
    expect((await wait('2m')).code).toBe(0);
    expect((await it.rollout()).status?.current?.version).toBe('1.0.1');

    await edit(it, { web: 'crash-loop' });
    expect((await wait('2m')).code).toBe(3);
    await edit(it, { color: 'yellow' });
    expect((await wait('2m')).code).toBe(0);
    expect((await it.rollout()).status?.current?.version).toBe('1.0.3');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function isNotReady(it: ReleaseStory, what: string, reason: string, message = /./): Promise<void> {
  await it.rolloutIs(what, ({ conditions }) => {
    const ready = conditions?.find(({ type }) => type === 'Ready');
    return ready?.status === 'False' && ready.reason === reason && message.test(ready.message);
  });
}
