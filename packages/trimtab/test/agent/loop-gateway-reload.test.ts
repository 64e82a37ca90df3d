import { describe, expect, test } from 'vitest';
import type { Action } from '../../src/agent/reload/outcome.ts';
import { refused, succeeded } from '../../src/agent/reload/outcome.ts';
import type { InjectedPod } from '../../src/api/injected-pod.ts';
import {
  app,
  bornWith,
  gateway,
  podOf,
  startAgent,
  until,
  untilAcked,
  untilReady,
  useGatewayStage,
  visible,
} from './support/gateway-stage.ts';

useGatewayStage();

const assign = (version: string, content: string) =>
  gateway.assign({ 'configmaps/foo': { version, data: { 'app.conf': content } } });

async function runningWith(
  more: Partial<InjectedPod>,
  hooksOf?: Parameters<typeof startAgent>[1] extends infer O
    ? O extends { hooksOf?: infer H }
      ? H
      : never
    : never,
) {
  assign('1.0.0', 'one');
  const { agent } = startAgent(
    podOf([bornWith('foo', { 'app.conf': 'one' })], more),
    hooksOf ? { hooksOf } : {},
  );
  await untilReady(agent);
  await untilAcked('1.0.0 Acknowledged');
  return agent;
}

describe('a web hook', () => {
  const webhook = () => [{ container: 'app', action: { by: 'webhook', url: app.url } as const }];

  test('gets the names and versions of the changed configs', async () => {
    await runningWith({ reload: webhook() });
    assign('1.0.1', 'two');
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    expect(app.bodies.map((body) => JSON.parse(body))).toEqual([
      { configs: [{ kind: 'ConfigMap', name: 'foo', version: '1.0.1', previous: '1.0.0' }] },
    ]);
  });

  test('refuses with its body as the reason, and is told about the version that is back', async () => {
    await runningWith({ reload: webhook() });
    assign('1.0.1', 'bad');
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    expect(gateway.acks.at(-1)?.reason).toMatch(/^container app: .*422.*: line 1: unknown directive$/);
    expect(JSON.parse(app.bodies[1] ?? '').configs).toEqual([
      { kind: 'ConfigMap', name: 'foo', version: '1.0.0', previous: '1.0.1' },
    ]);
  });
});

test('containers with the same request are told by one request', async () => {
  const action = { by: 'http', method: 'POST', url: app.url } as const;
  await runningWith({ reload: ['a', 'b'].map((container) => ({ container, action })) });
  assign('1.0.1', 'two');
  await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
  expect(app.told).toEqual(['two']);
});

test('an application that pulls is not told', async () => {
  await runningWith({ reload: [{ container: 'app', action: { by: 'pull' } }] });
  assign('1.0.1', 'two');
  await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
  expect(app.told).toEqual([]);
  expect(visible()).toBe('two');
});

describe('hooks', () => {
  const hook = (name: string, called: string[]): Action => ({
    name,
    async run() {
      called.push(`${name} ${visible()}`);
      return visible().includes('bad') ? refused(`${name} refused`, 'because') : succeeded;
    },
  });

  test('replace the way of their container, and those without a container are called as well', async () => {
    const called: string[] = [];
    const hooks = new Map<string | undefined, Action[]>();
    await runningWith({}, (container) => hooks.get(container) ?? []);
    hooks.set('app', [hook('first', called)]).set(undefined, [hook('other', called)]);
    assign('1.0.1', 'two');
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    expect(called).toEqual(['first two', 'other two']);
    expect(app.told).toEqual([]);
    assign('1.0.2', 'bad');
    await until('the refusal', () => gateway.results().includes('1.0.2 Refused'));
    expect(gateway.acks.at(-1)?.reason).toBe('container app: first refused: because');
    expect(called.slice(2)).toEqual(['first bad', 'other bad', 'first two', 'other two']);
  });
});

describe('a verification', () => {
  const verify = () => [{ container: 'app', method: 'GET', url: app.url }];

  test('that fails after the reload refuses the version', async () => {
    const agent = await runningWith({ verify: verify() });
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    assign('1.0.1', 'two');
    await until('the reload', () => app.told.length === 1);
    app.health = 500;
    held.resolve();
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    expect(gateway.acks.at(-1)?.reason).toMatch(/^container app: GET .* status 500$/);
    expect(app.told).toEqual(['two', 'one']);
    expect(agent.state().isRestored).toBe(true);
  });

  test('that succeeds acknowledges it', async () => {
    await runningWith({ verify: verify() });
    assign('1.0.1', 'two');
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
  });
});

describe('a container whose application is signalled', () => {
  test('and does not run is not told', async () => {
    const action = { by: 'signal', signal: 'SIGUSR1' } as const;
    await runningWith({ reload: [{ container: 'no-such-container', action }] });
    assign('1.0.1', 'two');
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
  });
});
