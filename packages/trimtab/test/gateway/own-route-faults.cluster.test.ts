import type { Injection } from '@trimtab/test-bed/fault-proxy/faults.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import type { Answered } from './support/gateway-scene.ts';
import { VersionsScene } from './support/versions-scene.ts';

let scene: VersionsScene;
let upstream: FaultProxy | undefined;
const rules: number[] = [];

beforeAll(async () => {
  scene = await VersionsScene.start({ between: faulty, answerTimeoutMs: 2_000 });
});

afterEach(() => {
  for (const id of rules.splice(0)) upstream?.retire(id);
  upstream?.release();
});

afterAll(async () => {
  await scene?.close();
  await upstream?.close();
});

async function faulty(access: Parameters<typeof FaultProxy.start>[0]['access']) {
  upstream = await FaultProxy.start({ access });
  return upstream.access();
}

function inject(injection: Injection): void {
  const { id } = upstream?.inject(injection) ?? {};
  if (id !== undefined) rules.push(id);
}

/** Creates a config with the versions 1.0.0, which is current because it is the first, and 1.0.1. */
async function twoVersions(name: string): Promise<void> {
  const body = { metadata: { name }, data: { color: 'blue' } };
  expect((await scene.as('alice', 'POST', 'configmaps/1.0.0', body)).status).toBe(201);
  const more = { data: { color: 'red' } };
  expect((await scene.as('alice', 'POST', `configmaps/${name}/1.0.1`, more)).status).toBe(201);
}

const activate = (name: string, query = '') =>
  scene.as('alice', 'PUT', `configmaps/${name}/current${query}`, { version: '1.0.1' });

async function wanted(name: string): Promise<string | undefined> {
  const where = { namespace: scene.namespace, name: `configmap-${name}` };
  return (await scene.client.get<ConfigRollout>(configRollouts, where)).spec.version;
}

/** The response, and the number of Alice's writes that reached the API server, without dry runs. */
async function counted(
  act: () => Promise<Answered>,
  verb: string,
  resource: string,
): Promise<{ answer: Answered; writes: number }> {
  const log = scene.engine.auditLog();
  const mark = await log.mark();
  const answer = await act();
  const writes = (await log.since(mark)).filter(
    (entry) =>
      entry.user === scene.usernameOf('alice') &&
      entry.verb === verb &&
      entry.resource === resource &&
      !entry.dryRun,
  );
  return { answer, writes: writes.length };
}

test.each([
  ['a version', 'configmaps/gone/1.0.0', 'get'],
  ['the current version', 'configmaps/gone/current', 'get'],
] as const)(
  'an API server that can’t be reached: %s is a 503, and nothing was changed',
  async (_, path, verb) => {
    inject({ when: { verb, resource: 'configrollouts' }, fault: { kind: 'fail-before' }, times: 100 });
    const { status, json, headers } = await scene.as('alice', 'GET', path);
    expect([status, json.kind, json.reason]).toEqual([503, 'Status', 'ServiceUnavailable']);
    expect(json.message).toContain('Nothing was changed');
    expect(headers.get('retry-after')).toBe('1');
  },
);

test('an API server that does not answer in time is a 504, and is asked again when it does', async () => {
  await twoVersions('slow');
  inject({ when: { verb: 'get', resource: 'configrollouts' }, fault: { kind: 'stall' } });
  const { status, json } = await scene.as('alice', 'GET', 'configmaps/slow/current');
  expect([status, json.kind, json.reason]).toEqual([504, 'Status', 'Timeout']);
  expect(json.message).toContain('Nothing was changed');
  upstream?.release();
  expect((await scene.as('alice', 'GET', 'configmaps/slow/current')).json.metadata.version).toBe('1.0.0');
});

test('an activation whose answer is lost is made once, and says that it may have taken effect', async () => {
  await twoVersions('lost');
  inject({ when: { verb: 'patch', resource: 'configrollouts' }, fault: { kind: 'fail-after' } });
  const { answer, writes } = await counted(() => activate('lost'), 'patch', 'configrollouts');
  expect([answer.status, answer.json.reason]).toEqual([503, 'ServiceUnavailable']);
  expect(answer.json.message).toContain('may have taken effect');
  expect([writes, await wanted('lost')]).toEqual([1, '1.0.1']);
});

test('an activation that takes too long is a 504, which says that it may have taken effect', async () => {
  await twoVersions('late');
  const fault = { kind: 'stall', at: 'after' } as const;
  inject({ when: { verb: 'patch', resource: 'configrollouts' }, fault });
  const { answer, writes } = await counted(() => activate('late'), 'patch', 'configrollouts');
  expect([answer.status, answer.json.reason]).toEqual([504, 'Timeout']);
  expect(answer.json.message).toContain('may have taken effect');
  expect([writes, await wanted('late')]).toEqual([1, '1.0.1']);
});

test('an activation that did not get through is not made later', async () => {
  await twoVersions('never');
  inject({ when: { verb: 'patch', resource: 'configrollouts' }, fault: { kind: 'fail-before' } });
  const { answer, writes } = await counted(() => activate('never'), 'patch', 'configrollouts');
  expect([answer.status, writes, await wanted('never')]).toEqual([503, 0, undefined]);
});

test('a version whose answer is lost is made once, and the same call again finishes it', async () => {
  await twoVersions('adding');
  // The first creation is a dry run.
  inject({ when: { verb: 'create', resource: 'configmaps', nth: 2 }, fault: { kind: 'fail-after' } });
  const add = () => scene.as('alice', 'POST', 'configmaps/adding/1.0.2', { data: { color: 'green' } });
  const { answer, writes } = await counted(add, 'create', 'configmaps');
  expect([answer.status, answer.json.reason]).toEqual([503, 'ServiceUnavailable']);
  expect(answer.json.message).toContain('may have taken effect');
  expect(writes).toBe(1);
  expect([201, 409]).toContain((await add()).status);
  const { json } = await scene.ours('alice', 'configmaps/adding/versions');
  const names = json.items.map((each: { metadata: { name: string } }) => each.metadata.name);
  expect(names).toEqual(['1.0.0', '1.0.1', '1.0.2']);
});

test('a version that takes too long is a 504, which says that it may have taken effect', async () => {
  await twoVersions('half');
  // At this point the name is reserved.
  inject({ when: { verb: 'create', resource: 'configmaps', nth: 2 }, fault: { kind: 'stall' } });
  const body = { data: { color: 'green' } };
  const { status, json } = await scene.as('alice', 'POST', 'configmaps/half/1.0.2', body);
  expect([status, json.reason]).toEqual([504, 'Timeout']);
  expect(json.message).toContain('may have taken effect');
});

test('an activation that was accepted stays so when nobody can see what becomes of it', async () => {
  await twoVersions('unseen');
  const fault = { kind: 'status', code: 503 } as const;
  inject({ when: { verb: 'get', resource: 'configrollouts', nth: 2 }, fault, times: 1_000 });
  const { status, json, headers } = await activate('unseen', '?wait=1s');
  expect([status, json.kind, json.spec.version]).toEqual([202, 'ConfigRollout', '1.0.1']);
  expect(headers.get('warning')).toContain(
    'activation of version 1.0.1 was requested, but its outcome is unknown',
  );
});

test('requests that wait for an activation hold no turns', async () => {
  const waited = await VersionsScene.start();
  try {
    const as = (method: string, path: string, body: object, headers = {}) =>
      waited.as('alice', method, path, body, { headers });
    await as('POST', 'configmaps/first', { metadata: { name: 'awaited' }, data: { color: 'blue' } });
    await as('POST', 'configmaps/awaited/second', { data: { color: 'red' } });
    // A response as YAML needs a turn.
    const answers = Array.from({ length: 3 }, () =>
      as('PUT', 'configmaps/awaited/current?wait=10m', { version: 'second' }, { accept: 'application/yaml' }),
    );
    const where = { namespace: waited.namespace, name: 'configmap-awaited' };
    await waitFor('the version is requested three times', async () => {
      const { spec } = await waited.client.get<ConfigRollout>(configRollouts, where);
      const metrics = await waited.gateway.metrics();
      const isSent = /^trimtab_gateway_requests_in_flight 3$/m.test(metrics);
      return spec.version === 'second' && isSent ? { met: true } : { seen: String(spec.version) };
    });
    const diff = 'configmaps/awaited/versions/first/diff/second';
    expect((await waited.ours('alice', diff)).status).toBe(200);
    await waited.gateway.close(600_000);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202, 202]);
  } finally {
    await waited.close();
  }
});

test('a gateway that stops answers who is held at once: it was accepted', async () => {
  const leaving = await VersionsScene.start();
  try {
    const as = (method: string, path: string, body: object) => leaving.as('alice', method, path, body);
    await as('POST', 'configmaps/first', { metadata: { name: 'held' }, data: { color: 'blue' } });
    await as('POST', 'configmaps/held/second', { data: { color: 'red' } });
    const answer = as('PUT', 'configmaps/held/current?wait=10m', { version: 'second' });
    const where = { namespace: leaving.namespace, name: 'configmap-held' };
    await waitFor('it is asked for', async () => {
      const { spec } = await leaving.client.get<ConfigRollout>(configRollouts, where);
      return spec.version === 'second' ? { met: true } : { seen: String(spec.version) };
    });
    await leaving.gateway.close(600_000);
    const { status, json, headers } = await answer;
    expect([status, json.kind, json.spec.version]).toEqual([202, 'ConfigRollout', 'second']);
    expect(headers.get('warning')).toContain('the gateway is shutting down');
  } finally {
    await leaving.close();
  }
});
