import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  app,
  bornWith,
  clock,
  folder,
  gateway,
  logged,
  podOf,
  published,
  startAgent,
  until,
  untilAcked,
  untilLater,
  untilReady,
  untilTold,
  useGatewayStage,
  visible,
  volumePath,
  writeToken,
} from './support/gateway-stage.ts';

useGatewayStage();

const foo = (version: string, content: string, more: Record<string, string> = {}) => ({
  'configmaps/foo': { version, data: { 'app.conf': content, ...more }, assigned: `hash of ${version}` },
});

/** A pod that runs the version of its birth, which the gateway has assigned. */
async function running() {
  gateway.assign(foo('1.0.0', 'one'));
  const pod = podOf([bornWith('foo', { 'app.conf': 'one' })]);
  const started = startAgent(pod);
  await untilReady(started.agent);
  await untilAcked('1.0.0 Acknowledged');
  return { ...started, pod };
}

describe('a new pod', () => {
  test('gets what the gateway assigns and reports it, and no container is told', async () => {
    gateway.assign(foo('1.0.3', 'three'));
    const { agent } = startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })]));
    await untilReady(agent);
    expect(visible()).toBe('three');
    expect(statSync(join(volumePath(), 'app.conf')).mode & 0o777).toBe(0o640);
    await untilAcked('1.0.3 Acknowledged');
    expect(gateway.acks[0]).toEqual({
      config: 'configmaps/foo',
      object: 'foo-v1-0-3',
      version: '1.0.3',
      result: 'Acknowledged',
      sequence: expect.any(Number),
    });
    expect(app.told).toEqual([]);
    expect(published).toEqual(['foo 1.0.3 {"app.conf":"three"}']);
  });

  test('starts with the version of its birth while the gateway is away, and reports it later', async () => {
    await gateway.stop();
    const { agent } = startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })]));
    await untilReady(agent);
    expect(visible()).toBe('one');
    expect(published).toEqual(['foo 1.0.0 {"app.conf":"one"}']);
    expect(agent.state().interruption?.problem).toContain('watch of configmap shop/foo: ECONNREFUSED');
    gateway.assign(foo('1.0.0', 'one'));
    await gateway.start();
    await untilLater('the report', () => gateway.results().includes('1.0.0 Acknowledged'));
    await untilLater('the end of the interruption', () => agent.state().interruption === undefined);
    expect(app.told).toEqual([]);
  });

  test('of which the gateway refuses a config starts with the version of its birth', async () => {
    gateway.refusal = { code: 403, message: 'pod "web" may not read this config' };
    const { agent } = startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })]));
    await untilReady(agent);
    expect(agent.state().interruption?.problem).toBe(
      'watch of configmap shop/foo: 403 pod "web" may not read this config',
    );
  });

  test('without a volume of a config has its versions acknowledged and published', async () => {
    gateway.assign(foo('1.0.0', 'one'));
    const { agent } = startAgent(
      podOf([bornWith('foo', { 'app.conf': 'one' })], { volumes: [], reload: [] }),
    );
    await untilReady(agent);
    gateway.assign(foo('1.0.1', 'two'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    expect(published.at(-1)).toBe('foo 1.0.1 {"app.conf":"two"}');
  });
});

describe('another version', () => {
  test('is written, told and acknowledged', async () => {
    await running();
    gateway.assign(foo('1.0.1', 'two'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    expect(app.told).toEqual(['two']);
    expect(published.at(-1)).toBe('foo 1.0.1 {"app.conf":"two"}');
    const [first, second] = gateway.acks.map(({ sequence }) => sequence);
    expect(second).toBeGreaterThan(first ?? 0);
  });

  test('that the application refuses is taken back and refused with a reason, and not tried again', async () => {
    const { agent } = await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    expect(app.told).toEqual(['bad', 'one']);
    expect(visible()).toBe('one');
    expect(published).toEqual(['foo 1.0.0 {"app.conf":"one"}']);
    expect(gateway.acks.at(-1)?.reason).toMatch(/^container app: POST http:.* the response has status 422$/);
    expect(agent.state()).toMatchObject({ notReady: undefined, isRestored: true });
    gateway.assign({ 'configmaps/foo': { version: '1.0.1', data: { 'app.conf': 'bad' } } });
    await clock.advance(60_000);
    expect(app.told).toEqual(['bad', 'one']);
  });

  test('that was refused is tried again when another was assigned in between', async () => {
    await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    gateway.assign(foo('1.0.0', 'one'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused', '1.0.0 Acknowledged');
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused', '1.0.0 Acknowledged', '1.0.1 Refused');
    expect(app.told).toEqual(['bad', 'one', 'bad', 'one']);
  });

  test('with content that a refused version has is another version, and is tried', async () => {
    await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    gateway.assign(foo('1.0.2', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused', '1.0.2 Refused');
  });

  test('while the application does not answer is told until it does', async () => {
    await running();
    await app.stop();
    gateway.assign(foo('1.0.1', 'two'));
    await until('the files', () => visible() === 'two');
    await app.start();
    await untilLater('the acknowledgement', () => gateway.results().includes('1.0.1 Acknowledged'));
    expect(app.told).toEqual(['two']);
  });

  test('to an application that does not answer in time is refused', async () => {
    const { agent } = await running();
    await app.stop();
    gateway.assign(foo('1.0.1', 'two'));
    await untilLater('the refusal', () => gateway.results().includes('1.0.1 Refused'));
    expect(gateway.acks.at(-1)?.reason).toContain('ECONNREFUSED');
    // Nothing listens, so nothing has read the refused files.
    expect(agent.state().isRestored).toBe(true);
    expect(visible()).toBe('one');
  });

  test('replaces one that the application does not answer to', async () => {
    await running();
    await app.stop();
    gateway.assign(foo('1.0.1', 'two'));
    await until('the files', () => visible() === 'two');
    gateway.assign(foo('1.0.2', 'three'));
    await until('the files', () => visible() === 'three');
    await app.start();
    await untilLater('the acknowledgement', () => gateway.results().includes('1.0.2 Acknowledged'));
    expect(app.told).toEqual(['three']);
    expect(gateway.results()).toEqual(['1.0.0 Acknowledged', '1.0.2 Acknowledged']);
  });

  test('that lacks a key which a volume needs is refused before anything is written', async () => {
    gateway.assign(foo('1.0.0', 'one', { site: 's' }));
    const config = bornWith('foo', { 'app.conf': 'one', site: 's' });
    const items = [
      { key: 'app.conf', path: 'app.conf' },
      { key: 'site', path: 'conf.d/site.conf', mode: 0o600 },
    ];
    const { agent } = startAgent(
      podOf([config], {
        volumes: [{ name: 'main', path: volumePath(), sources: [{ config: 0, items }], fileMode: 0o644 }],
      }),
    );
    await untilReady(agent);
    expect(statSync(join(volumePath(), 'conf.d/site.conf')).mode & 0o777).toBe(0o600);
    gateway.assign(foo('1.0.1', 'two'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    expect(gateway.acks.at(-1)?.reason).toBe(
      "the configs cannot be written: key 'site' of configmap shop/foo does not exist, and volume main needs it",
    );
    expect([visible(), visible('conf.d/site.conf')]).toEqual(['one', 's']);
  });
});

describe('acknowledgements', () => {
  test('are repeated until they are recorded', async () => {
    gateway.ackStatuses.push(202, 503, 202, 200);
    gateway.assign(foo('1.0.0', 'one'));
    startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })]));
    await untilLater('four requests', () => gateway.acks.length === 4);
    await clock.advance(60_000);
    expect(gateway.acks).toHaveLength(4);
    expect(new Set(gateway.acks.map(({ sequence }) => sequence)).size).toBe(1);
  });

  test('that a newer one replaces are not repeated', async () => {
    await running();
    gateway.ackStatuses.push(202, 202, 202);
    gateway.assign(foo('1.0.1', 'two'));
    await until('the first', () => gateway.results().includes('1.0.1 Acknowledged'));
    gateway.assign(foo('1.0.2', 'three'));
    await until('the second', () => gateway.results().includes('1.0.2 Acknowledged'));
    await untilLater('the last', () => gateway.ackStatuses.length === 0);
    await clock.advance(10_000);
    const results = gateway.results();
    expect(results.lastIndexOf('1.0.1 Acknowledged')).toBeLessThan(results.indexOf('1.0.2 Acknowledged'));
  });

  test('of a version that is no longer assigned are dropped', async () => {
    gateway.ackStatuses.push(409);
    gateway.assign(foo('1.0.0', 'one'));
    startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })]));
    await untilAcked('1.0.0 Acknowledged');
    await clock.advance(60_000);
    expect(gateway.acks).toHaveLength(1);
  });

  test('are sent again over a new stream', async () => {
    await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    gateway.endStreams();
    await untilLater('the repetition', () => gateway.acks.length === 3);
    expect(gateway.results().at(-1)).toBe('1.0.1 Refused');
    expect(app.told).toEqual(['bad', 'one']);
  });
});

describe('a token', () => {
  test('that the kubelet has replaced is used', async () => {
    await running();
    gateway.token = 'token-2';
    writeToken('token-2');
    gateway.assign(foo('1.0.1', 'two'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    expect(gateway.tokens.at(-1)).toBe('token-2');
  });

  test('that the gateway refuses is read again', async () => {
    await running();
    gateway.token = 'token-2';
    gateway.endStreams();
    await untilLater('a failure', () => logged.some(({ msg }) => msg === 'gateway stream failed; retrying'));
    writeToken('token-2');
    gateway.assign(foo('1.0.1', 'two'));
    await untilLater('the acknowledgement', () => gateway.results().includes('1.0.1 Acknowledged'));
  });
});

describe('a stream', () => {
  test('that ends with an error is opened again, and the error is the reason meanwhile', async () => {
    const { agent } = await running();
    gateway.refusal = { code: 503, message: 'shutting down' };
    gateway.fail('configmaps/foo', 403, 'pod "web" with uid 1 no longer exists');
    await until('the interruption', () => agent.state().interruption !== undefined);
    expect(agent.state().interruption?.problem).toBe(
      'watch of configmap shop/foo: 403 pod "web" with uid 1 no longer exists',
    );
    gateway.refusal = undefined;
    await untilLater('the end of the interruption', () => agent.state().interruption === undefined);
    expect([visible(), app.told]).toEqual(['one', []]);
  });

  test('that expires is opened again without a resourceVersion', async () => {
    const { agent } = await running();
    gateway.fail('configmaps/foo', 410, 'resourceVersion 7 is too large');
    gateway.assign(foo('1.0.1', 'two'));
    await untilLater('the new version', () => visible() === 'two');
    expect([gateway.opened, agent.state().interruption]).toEqual([2, undefined]);
    gateway.refusal = { code: 410, message: 'resourceVersion 7 is too large' };
    gateway.endStreams();
    await untilLater('the interruption', () => agent.state().interruption !== undefined);
    gateway.refusal = undefined;
    gateway.assign(foo('1.0.2', 'three'));
    await untilLater('the next version', () => visible() === 'three');
    expect(gateway.startedFrom).toEqual([null, null, null]);
  });

  test('that reports a deletion leaves the files', async () => {
    const { agent } = await running();
    gateway.delete('configmaps/foo');
    await until('the interruption', () => agent.state().interruption !== undefined);
    expect(agent.state().interruption?.problem).toBe('configmap shop/foo does not exist');
    expect([visible(), agent.state().notReady]).toEqual(['one', undefined]);
    gateway.assign(foo('1.0.1', 'two'));
    await untilTold('two');
    expect(agent.state().interruption).toBeUndefined();
  });

  test('that is silent is opened again', async () => {
    await running();
    await untilLater('another stream', () => gateway.opened === 2);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(75_000);
  });
});

describe('without the gateway', () => {
  test('the files stay, and a change gets through when it is back', async () => {
    const { agent } = await running();
    await gateway.stop();
    await untilLater('an interruption', () => agent.state().interruption !== undefined);
    await clock.advance(600_000);
    expect([visible(), agent.state().notReady]).toEqual(['one', undefined]);
    gateway.assign(foo('1.0.1', 'two'));
    await gateway.start();
    await untilLater('the change', () => app.told.includes('two'));
  });

  test('a restarted agent keeps the last good version, not that of the birth', async () => {
    const { pod, end } = await running();
    gateway.assign(foo('1.0.1', 'two'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Acknowledged');
    await end();
    await gateway.stop();
    const { agent } = startAgent(pod);
    await untilReady(agent);
    expect(visible()).toBe('two');
    expect(published.at(-1)).toBe('foo 1.0.1 {"app.conf":"two"}');
    expect(app.told).toEqual(['two']);
  });
});

describe('a restarted agent', () => {
  test('tells the application about a version that was assigned meanwhile', async () => {
    const { pod, end } = await running();
    await end();
    gateway.assign(foo('1.0.1', 'two'));
    startAgent(pod);
    await untilTold('two');
    await until('the report', () => gateway.results().includes('1.0.1 Acknowledged'));
  });

  test('does not try a refused version again, and reports it again', async () => {
    const { pod, end } = await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    await end();
    const { agent } = startAgent(pod);
    await untilReady(agent);
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused', '1.0.1 Refused');
    expect(app.told).toEqual(['bad', 'one']);
    expect(published.at(-1)).toBe('foo 1.0.0 {"app.conf":"one"}');
  });

  test('without the gateway does not forget the refusal', async () => {
    const { pod, end } = await running();
    gateway.assign(foo('1.0.1', 'bad'));
    await untilAcked('1.0.0 Acknowledged', '1.0.1 Refused');
    await end();
    await gateway.stop();
    const { agent } = startAgent(pod);
    await untilReady(agent);
    await gateway.start();
    await untilLater(
      'the report',
      () => gateway.results().at(-1) === '1.0.1 Refused' && gateway.acks.length > 2,
    );
    expect(app.told).toEqual(['bad', 'one']);
  });
});

test('contents of Secrets and hashes are not logged', async () => {
  const secret = bornWith('foo', { 'app.conf': 's3cret one' }, { kind: 'Secret' });
  gateway.assign({ 'secrets/foo': { version: '1.0.0', data: { 'app.conf': 's3cret one' } } });
  const { agent } = startAgent(podOf([secret]));
  await untilReady(agent);
  gateway.assign({ 'secrets/foo': { version: '1.0.1', data: { 'app.conf': 's3cret bad' } } });
  await until('the refusal', () => gateway.results('secrets/foo').includes('1.0.1 Refused'));
  const manifest = JSON.parse(readFileSync(join(folder, 'private/configs/..good/..manifest.json'), 'utf8'));
  const said = JSON.stringify([logged, gateway.acks, agent.state()]);
  for (const hidden of ['s3cret', manifest.hash, 'unknown directive']) expect(said).not.toContain(hidden);
});
