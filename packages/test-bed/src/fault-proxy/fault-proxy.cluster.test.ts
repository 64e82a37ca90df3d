import type { KubeClient, WatchStream } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { currentEngine } from '../engines/engine.ts';
import { type KubectlOptions, kubectl, type RunningKubectl, startKubectl } from '../engines/kubectl.ts';
import { type ConfigMap, configMap } from '../objects/config-map.ts';
import { role, roleBinding, serviceAccount } from '../objects/rights.ts';
import type { Given } from '../story/given.ts';
import { story } from '../story/story.ts';
import type { Then } from '../story/then.ts';
import type { When } from '../story/when.ts';
import { waitFor } from '../watching/wait-for.ts';
import { randomPlan } from './random-plan.ts';
import { FaultProxy } from './server.ts';

const engine = await currentEngine();
const admin = await engine.connect();
afterAll(() => engine.close());

let given: Given;
let when: When;
let then: Then;
let namespace: string;
let proxy: FaultProxy;
let client: KubeClient & { close(): void };

beforeEach(async () => {
  [given, when, then] = await story(engine);
  namespace = given.namespace;
  proxy = await FaultProxy.start({ access: await engine.access() });
  client = clientOf(proxy);
});

afterEach(async () => {
  client.close();
  await proxy.close();
});

/** A client that does not repair what the proxy breaks. */
function clientOf(target: FaultProxy) {
  return httpClient({ access: target.access(), log: silentLogger });
}

const through = (args: string[], options: KubectlOptions = {}) =>
  kubectl(engine, ['--server', proxy.url, ...args], { namespace, ...options });

const createFoo = ['create', 'configmap', 'foo', '--from-literal=a=1'];
const foo = () => ({ namespace, name: 'foo' });

async function exists(name: string): Promise<boolean> {
  return admin.get(configMaps, { namespace, name }).then(
    () => true,
    (error) => {
      if (isNotFound(error)) return false;
      throw error;
    },
  );
}

describe('kubectl through the proxy', () => {
  test('works as without it', async () => {
    expect(await through(createFoo)).toMatchObject({ code: 0, stdout: 'configmap/foo created\n' });
    const manifest = JSON.stringify(configMap('foo', { a: '2' }));
    expect((await through(['apply', '--filename', '-'], { stdin: manifest })).code).toBe(0);
    const value = await through(['get', 'configmap', 'foo', '--output', 'jsonpath={.data.a}']);
    expect(value.stdout).toBe('2');
    expect(proxy.report()).toEqual([]);
  });

  test('a write that fails before its effect has none', async () => {
    proxy.inject({ when: { verb: 'write', resource: 'configmaps' }, fault: { kind: 'fail-before' } });
    expect((await through(createFoo)).code).toBe(1);
    expect(await exists('foo')).toBe(false);
    proxy.assertFired();
  });

  test('a write that fails after its effect is really there', async () => {
    proxy.inject({ when: { verb: 'write', resource: 'configmaps' }, fault: { kind: 'fail-after' } });
    expect((await through(createFoo)).code).toBe(1);
    expect(await exists('foo')).toBe(true);
    expect(proxy.describe()).toContain(`create configmaps ${namespace} (server answered 201)`);
  });

  test('a client that is killed before its write never made it; after it, it did', async () => {
    const before = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall' } });
    const first = startKubectl(engine, ['--server', proxy.url, ...createFoo], { namespace });
    await before.fired;
    first.stop();
    await first.ended;
    await waitFor('the proxy observes that its client has disconnected', async () =>
      proxy.stalledClients === 0 ? { met: true } : { seen: `${proxy.stalledClients} stalled clients` },
    );
    proxy.release();
    const after = proxy.inject({ when: { verb: 'write' }, fault: { kind: 'stall', at: 'after' } });
    const args = ['--server', proxy.url, 'create', 'configmap', 'bar'];
    const second = startKubectl(engine, args, { namespace });
    await after.fired;
    second.stop();
    await second.ended;
    expect([await exists('foo'), await exists('bar')]).toEqual([false, true]);
  });

  test('is told to come back later, and does', async () => {
    await given.objects(configMap('foo'));
    const busy = { kind: 'status', code: 429, retryAfterSeconds: 1 } as const;
    proxy.inject({ when: { verb: 'get', name: 'foo', resource: 'configmaps' }, fault: busy });
    expect((await through(['get', 'configmap', 'foo', '--output', 'name'])).stdout).toBe('configmap/foo\n');
    proxy.assertFired();
  });

  test('shows the reason of an answer as it shows that of the server', async () => {
    await given.objects(configMap('foo'));
    proxy.inject({ when: { verb: 'get', name: 'foo' }, fault: { kind: 'status', code: 503 } });
    const { stderr } = await through(['get', 'configmap', 'foo']);
    expect(stderr).toContain('Error from server (ServiceUnavailable)');
  });

  test('over TLS keeps its own identity', async () => {
    await given.objects(serviceAccount('bot'), role('bot', ['create'], 'configmaps'));
    await given.objects(roleBinding('bot', { serviceAccount: 'bot' }));
    const secure = await FaultProxy.start({ access: await engine.access(), tls: true });
    try {
      const kubeconfig = await engine.kubeconfigOf({ serviceAccount: 'bot', namespace }, secure);
      const whoami = ['auth', 'whoami', '--output', 'jsonpath={.status.userInfo.username}'];
      const { stdout } = await kubectl(engine, whoami, { kubeconfig });
      expect(stdout).toBe(`system:serviceaccount:${namespace}:bot`);
      secure.inject({ when: { verb: 'write' }, fault: { kind: 'fail-after' } });
      expect((await kubectl(engine, createFoo, { kubeconfig })).code).toBe(1);
      expect(await exists('foo')).toBe(true);
    } finally {
      await secure.close();
    }
  });
});

describe('kubectl get --watch through the proxy', () => {
  let watching: RunningKubectl;

  /** The object names that kubectl has printed, in order: `foo,bar`. */
  const printed = () => watching.stdout().trim().split('\n').filter(Boolean).join(',');

  async function prints(names: string): Promise<void> {
    await waitFor(`kubectl prints ${names}`, async () =>
      printed() === names ? { met: true } : { seen: printed() },
    );
  }

  beforeEach(async () => {
    await when.kubectl('delete', 'configmap', 'kube-root-ca.crt');
    await given.objects(configMap('zero'));
  });

  function watch(): void {
    const columns = '--output=custom-columns=:metadata.name';
    const args = ['--server', proxy.url, 'get', 'configmaps', '--watch', '--no-headers', columns];
    const selected = '--field-selector=metadata.name!=kube-root-ca.crt';
    watching = startKubectl(engine, [...args, selected], { namespace });
  }

  afterEach(async () => {
    watching.stop();
    await watching.ended;
  });

  test('misses what was dropped, sees twice what was repeated, and a new order', async () => {
    proxy.inject({ when: { name: 'dropped' }, fault: { kind: 'drop-event' } });
    proxy.inject({ when: { name: 'twice' }, fault: { kind: 'repeat-event' } });
    proxy.inject({ when: { name: 'first' }, fault: { kind: 'reorder-event' } });
    watch();
    await prints('zero');
    await given.objects(configMap('dropped'), configMap('twice'), configMap('first'), configMap('second'));
    await prints('zero,twice,twice,second,first');
    proxy.assertFired();
  });

  test('ends when the watch ends', async () => {
    proxy.inject({ when: { name: 'last' }, fault: { kind: 'end-watch' } });
    watch();
    await prints('zero');
    await given.objects(configMap('last'), configMap('unseen'));
    expect((await watching.ended).code).toBe(0);
    expect(printed()).toBe('zero,last');
  });

  test('stalls, and goes on with nothing lost', async () => {
    const stall = proxy.inject({ when: { name: 'late' }, fault: { kind: 'stall-watch' } });
    watch();
    await prints('zero');
    await given.objects(configMap('late'), configMap('later'));
    await stall.fired;
    expect(printed()).toBe('zero');
    proxy.release();
    await prints('zero,late,later');
  });
});

/** Reads until the stream ends, including the events before a cut. */
async function drain(stream: WatchStream): Promise<{ types: string[]; ended: string }> {
  const types: string[] = [];
  try {
    for await (const event of stream.events as AsyncIterable<{ type: string; object: { code?: number } }>)
      types.push(event.type === 'ERROR' ? `ERROR ${event.object.code}` : event.type);
    return { types, ended: 'cleanly' };
  } catch (error) {
    return { types, ended: error instanceof Error ? error.name : 'oddly' };
  }
}

describe('our own client through the proxy', () => {
  /** Reads the events of one watch from now on until it ends. */
  async function watchUntilItEnds(
    after: () => Promise<unknown>,
  ): Promise<{ types: string[]; ended: string }> {
    const list = await admin.list(configMaps, { namespace });
    const resourceVersion = list.metadata.resourceVersion ?? '';
    const signal = AbortSignal.timeout(20_000);
    const stream = await client.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 30, signal });
    const [result] = await Promise.all([drain(stream), after()]);
    return result;
  }

  const createThree = () => given.objects(configMap('a'), configMap('b'), configMap('c'));

  test.each([
    [{ kind: 'cut-watch' }, { types: ['ADDED'], ended: 'NetworkError' }],
    [
      { kind: 'cut-watch', midLine: true },
      { types: ['ADDED'], ended: 'NetworkError' },
    ],
    [
      { kind: 'drop-event', thenCut: true },
      { types: ['ADDED'], ended: 'NetworkError' },
    ],
    [{ kind: 'end-watch' }, { types: ['ADDED', 'ADDED'], ended: 'cleanly' }],
    [{ kind: 'expire-watch' }, { types: ['ADDED', 'ERROR 410'], ended: 'cleanly' }],
  ] as const)('%j at the second event', async (fault, expected) => {
    proxy.inject({ when: { name: 'b' }, fault });
    expect(await watchUntilItEnds(createThree)).toEqual(expected);
    proxy.assertFired();
  });

  test('a quiet watch is cut on command', async () => {
    const { ended } = await watchUntilItEnds(async () => {
      expect(await proxy.breakWatches('cut', { resource: 'configmaps' })).toBe(1);
    });
    expect(ended).toBe('NetworkError');
  });

  test('a conflict and an object that exists read exactly like those of the server', async () => {
    const [old] = await given.objects(configMap('foo', { a: '1' }));
    await when.edited<ConfigMap>(configMaps, 'foo', (object) => {
      object.data = { a: '2' };
    });
    const refusal = (attempt: Promise<unknown>) =>
      attempt.then(
        () => undefined,
        ({ status, body }) => ({ status, body }),
      );
    const update = () => refusal(client.update(configMaps, old));
    const create = () => refusal(client.create(configMaps, { ...configMap('foo'), metadata: foo() }));
    const real = { conflict: await update(), exists: await create() };
    proxy.inject({ when: { verb: 'update' }, fault: { kind: 'status', code: 409 } });
    proxy.inject({ when: { verb: 'create' }, fault: { kind: 'status', code: 409 } });
    expect({ conflict: await update(), exists: await create() }).toEqual(real);
    proxy.assertFired();
  });

  test('the same seed harms the same requests', async () => {
    const run = async (seed: number) => {
      const seeded = await FaultProxy.start({ access: await engine.access(), seed });
      const tried = clientOf(seeded);
      try {
        for (const injection of randomPlan(seed, ['configmaps'])) seeded.inject(injection);
        for (let i = 0; i < 12; i++) {
          const where = { namespace, name: `s${i}` };
          await tried.create(configMaps, { ...configMap(where.name), metadata: where }).catch(() => {});
          await tried.list(configMaps, { namespace }).catch(() => {});
          await tried.delete(configMaps, where).catch(() => {});
          await admin.delete(configMaps, where).catch(() => {});
        }
        return seeded.describe();
      } finally {
        tried.close();
        await seeded.close();
      }
    };
    const first = await run(3);
    expect(first).toContain('fired');
    expect(await run(3)).toBe(first);
  });
});

test('an upgrade that the server refuses is answered, not swallowed', async () => {
  const { code, stderr } = await through(['exec', 'no-such-pod', '--', 'true']);
  expect(code).toBe(1);
  expect(stderr).toContain('pods "no-such-pod" not found');
  await then.eventually('the API server still serves requests', configMaps, 'kube-root-ca.crt', () => true);
});
