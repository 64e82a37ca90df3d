import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { CurrentScene } from './support/current-scene.ts';
import type { Answered } from './support/gateway-scene.ts';

let engine: Engine;
let scene: CurrentScene;

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

interface Wanted {
  name: string;
  version: string;
  color: string;
  release?: string;
}

function post({ name, version, color, release }: Wanted, query = ''): Promise<Answered> {
  const marks = release === undefined ? {} : { annotations: { [annotations.release]: release } };
  const body = { metadata: { name, ...marks }, data: { color } };
  return scene.call('alice', { method: 'POST', config: version, rest: query, body });
}

/** A config with version 1.0.0, which is current, as the answer says. */
async function born(name: string, release?: string): Promise<void> {
  const wanted = { name, version: '1.0.0', color: 'blue', ...(release && { release }) };
  const { status, json, headers } = await post(wanted);
  expect([status, stateOf(json), headers.get('warning')]).toEqual([201, 'current', null]);
  await scene.story.isCurrent('1.0.0', `configmap-${name}`);
  const { spec } = await rolloutOf(name);
  expect(spec.version).toBeUndefined();
}

function deleted(name: string): Promise<unknown> {
  return scene.story.client.delete(configMaps, { namespace: scene.namespace, name });
}

function goneRollout(name: string): Promise<unknown> {
  return scene.story.eventuallyGone(configRollouts, `configmap-${name}`);
}

function rolloutOf(name: string): Promise<ConfigRollout> {
  const where = { namespace: scene.namespace, name: `configmap-${name}` };
  return scene.story.client.get<ConfigRollout>(configRollouts, where);
}

async function listed(name: string): Promise<[string, string][]> {
  const path = `/apis/trimtab.dev/v1alpha1/namespaces/${scene.namespace}/configmaps/${name}/versions`;
  const { json } = await scene.gateway.callWith(scene.token('alice'), { path });
  return json.items.map((line: { metadata: { name: string }; state: string }) => [
    line.metadata.name,
    line.state,
  ]);
}

const stateOf = (json: { metadata: { annotations: Record<string, string> } }) =>
  json.metadata.annotations[labels.state];

const requested = (name: string, version: string, from: string) =>
  `version "${version}" of configmaps "${name}" is not current yet: version "${from}", created before, still is; activation of version "${version}" was requested`;

const spoken = ({ headers }: Answered) => (headers.get('warning') ?? '').replace(/\\(.)/g, '$1');

describe('a config that is created again while its ConfigRollout exists', () => {
  test.each([undefined, 'auto', 'manual'])(
    'in mode %s gets its version by an activation',
    async (release) => {
      const name = `again-${release ?? 'locked'}`;
      await born(name, release);
      await deleted(name);
      const wanted = { name, version: '2.0.0', color: 'red', ...(release && { release }) };
      const planned = await post(wanted, '?dryRun=All');
      expect([planned.status, stateOf(planned.json)]).toEqual([201, 'not-current']);
      expect(spoken(planned)).toContain('activation of version "2.0.0" will be requested');
      expect((await rolloutOf(name)).spec.version).toBeUndefined();

      const answer = await post(wanted);

      expect(answer.status).toBe(201);
      // In Auto, the controller may have released the edit before the answer is written.
      const state = stateOf(answer.json);
      if (release !== 'auto') expect(state).toBe('not-current');
      if (state !== 'current') expect(spoken(answer)).toContain(requested(name, '2.0.0', '1.0.0'));
      const { status } = await scene.story.isCurrent('2.0.0', `configmap-${name}`);
      expect(status?.history?.[0]?.version).toBe('2.0.0');
      // In Auto, the controller may see the edit before the request for the same version.
      if (release !== 'auto') expect(status?.history?.[0]?.by).toBe(scene.userName('alice'));
      expect(await listed(name)).toEqual([
        ['1.0.0', 'not-current'],
        ['2.0.0', 'current'],
      ]);
      expect((await scene.call('alice', { config: name })).json.data).toEqual({ color: 'red' });
    },
  );

  test('is judged: what fails is rolled back, and what works becomes current', async () => {
    const { story } = scene;
    await using _ = await SimulatedApp.start(story.client, scene.namespace, ({ color }) =>
      color === 'broken' ? { crashes: 'no such color', exitCode: 3 } : 'works',
    );
    await born('judged');
    const rollout = { namespace: scene.namespace, name: 'configmap-judged' };
    const quick = { type: 'merge', body: { spec: { strategy: { bakeSeconds: 1 } } } } as const;
    await story.client.patch(configRollouts, rollout, quick);
    await story.given.object(
      deployment('painter', mountingConfigMap('judged', '/etc/judged'), managed, runningTheApp),
    );
    await story.rolloutIs(
      'painter is healthy',
      ({ workloads }) => workloads?.[0]?.state === 'Healthy',
      'configmap-judged',
    );
    await deleted('judged');
    const broken = await post({ name: 'judged', version: '2.0.0', color: 'broken' });
    expect(stateOf(broken.json)).toBe('not-current');
    await story.rolloutIs(
      'the broken version is rolled back',
      ({ phase, current }) => phase === 'Failed' && current?.version === '1.0.0',
      'configmap-judged',
    );
    expect(await listed('judged')).toEqual([
      ['1.0.0', 'current'],
      ['2.0.0', 'rejected'],
    ]);
    await deleted('judged');
    const works = await post({ name: 'judged', version: '3.0.0', color: 'green' });
    expect(stateOf(works.json)).toBe('not-current');
    await story.isCurrent('3.0.0', 'configmap-judged');
  });

  test('with the version that is current, just has it back', async () => {
    await born('same');
    await deleted('same');
    const answer = await post({ name: 'same', version: '1.0.0', color: 'blue' });
    expect([answer.status, stateOf(answer.json), spoken(answer)]).toEqual([201, 'current', '']);
    expect((await rolloutOf('same')).spec.version).toBeUndefined();
  });

  test('with an old version goes back to that', async () => {
    await born('old');
    const added = await scene.call('alice', {
      method: 'POST',
      config: 'old',
      rest: '/1.1.0',
      body: { data: { color: 'green' } },
    });
    expect(stateOf(added.json)).toBe('not-current');
    await scene.activate('alice', 'old', '1.1.0', '?wait=60s');
    await deleted('old');
    const answer = await post({ name: 'old', version: '1.0.0', color: 'blue' });
    expect([answer.status, stateOf(answer.json)]).toEqual([201, 'not-current']);
    expect(spoken(answer)).toContain(requested('old', '1.0.0', '1.1.0'));
    await scene.story.isCurrent('1.0.0', 'configmap-old');
  });

  test('by a person who may not activate it, stays as it was, and the answer says so', async () => {
    const verbs = (resource: string, group: string, ...allowed: string[]) => ({
      apiGroups: [group],
      resources: [resource],
      verbs: allowed,
    });
    const metadata = { name: 'creator', namespace: scene.namespace };
    const rbac = 'rbac.authorization.k8s.io';
    await scene.story.given.objects(
      serviceAccount('creator'),
      {
        apiVersion: `${rbac}/v1`,
        kind: 'Role',
        metadata,
        rules: [
          verbs('configmaps', '', 'get', 'list', 'create', 'update'),
          verbs('configrollouts', 'trimtab.dev', 'get', 'create'),
        ],
      } as never,
      {
        apiVersion: `${rbac}/v1`,
        kind: 'RoleBinding',
        metadata,
        subjects: [{ kind: 'ServiceAccount', name: 'creator', namespace: scene.namespace }],
        roleRef: { apiGroup: rbac, kind: 'Role', name: 'creator' },
      } as never,
    );
    await born('theirs');
    await deleted('theirs');
    const who = { serviceAccount: 'creator', namespace: scene.namespace };
    const body = { metadata: { name: 'theirs' }, data: { color: 'red' } };
    const path = scene.path({ config: '2.0.0', rest: '' });
    const answer = await scene.gateway.call(who, { method: 'POST', path, body });
    expect([answer.status, stateOf(answer.json)]).toEqual([201, 'not-current']);
    expect(spoken(answer)).toContain('activation of version "2.0.0" could not be requested: ');
    expect(spoken(answer)).toContain('cannot patch resource "configrollouts"');
    expect(await listed('theirs')).toEqual([
      ['1.0.0', 'current'],
      ['2.0.0', 'not-current'],
    ]);
  });
});

describe('a config that is created again after its ConfigRollout was deleted', () => {
  test('while its versions exist, continues from the one that was current', async () => {
    await born('orphaned');
    const where = { namespace: scene.namespace, name: 'configmap-orphaned' };
    await scene.story.controller.stop();
    await scene.story.client.delete(configRollouts, where, { propagationPolicy: 'Orphan' });
    await goneRollout('orphaned');
    await deleted('orphaned');
    const answer = await post({ name: 'orphaned', version: '2.0.0', color: 'red' });
    expect([answer.status, stateOf(answer.json)]).toEqual([201, 'not-current']);
    expect(spoken(answer)).toContain(requested('orphaned', '2.0.0', '1.0.0'));
    await scene.story.controllerRestarts();
    await scene.story.isCurrent('2.0.0', 'configmap-orphaned');
    expect(await listed('orphaned')).toEqual([
      ['1.0.0', 'not-current'],
      ['2.0.0', 'current'],
    ]);
  });

  test('is refused until the ConfigRollout is gone', async () => {
    await born('leaving');
    const where = { namespace: scene.namespace, name: 'configmap-leaving' };
    const held = (finalizers: string[] | null) =>
      scene.story.client.patch(configRollouts, where, { type: 'merge', body: { metadata: { finalizers } } });
    await held(['example.com/held']);
    await scene.story.client.delete(configRollouts, where);
    const version = await scene.call('alice', {
      method: 'POST',
      config: 'leaving',
      rest: '/2.0.0',
      body: { data: { color: 'red' } },
    });
    await deleted('leaving');
    const config = await post({ name: 'leaving', version: '2.0.0', color: 'red' });
    for (const { status, json } of [version, config]) {
      expect(status).toBe(409);
      expect(json.message).toContain('is being deleted; no version was created');
    }
    await held(null);
    await goneRollout('leaving');
  });

  test('and its versions, begins anew', async () => {
    await born('anew');
    const where = { namespace: scene.namespace, name: 'configmap-anew' };
    await deleted('anew');
    await scene.story.client.delete(configRollouts, where);
    await scene.story.eventuallyAll('the versions are gone', configMaps, (all) =>
      all.every(({ metadata }) => metadata.annotations?.[annotations.config] !== 'anew'),
    );
    await born('anew');
  });
});
