import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps, secrets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap, mountingSecret } from '@trimtab/test-bed/objects/pod-template.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { ControllerProcess } from '../support/controller-process.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { SecretHashes, type SecretObject } from '../support/secret-hashes.ts';
import { conditionOf, settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { Receiver } from './support/receiver.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const key = Buffer.alloc(32, 7);
const web = () => deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp);
const edit = (it: ReleaseStory, data: Record<string, string>) =>
  it.when.edited(configMaps, 'foo', withData(data));
const isType = (type: string) => (received: { json: { type: string } }) =>
  received.json.type === `dev.trimtab.rollout.${type}`;

let folder: string;
let receiver: Receiver;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-notifications-'));
  receiver = await Receiver.start();
});
afterEach(async () => {
  await receiver[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes the file of --notifications and returns its flags. */
function notifying(...targets: Record<string, unknown>[]): string[] {
  const file = path.join(folder, 'notifications.yaml');
  writeFileSync(path.join(folder, 'key'), `whsec_${key.toString('base64')}\n`);
  const listed = targets.map((target) => ({ allowHttp: true, ...target }));
  writeFileSync(file, JSON.stringify({ cluster: 'test', targets: listed }));
  return ['--notifications', file];
}

test('each outcome arrives signed, in the format of its target, also when a receiver fails at first', async () => {
  const flags = notifying(
    { name: 'events', url: receiver.url('/events'), signingKeyFile: 'key' },
    { name: 'chat', url: receiver.url('/slack/hunter2'), format: 'slack', outcomes: ['rolled-back'] },
    { name: 'teams', url: receiver.url('/teams'), format: 'teams' },
    { name: 'elsewhere', url: receiver.url('/elsewhere'), namespaces: ['other'] },
  );
  let failures = 2;
  receiver.answer = ({ path: at }) => (at === '/events' && failures-- > 0 ? 503 : 202);
  await using it = await ReleaseStory.start(engine, { flags });
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const current = await receiver.eventually('1.0.1 is reported', '/events', isType('current'));
  await edit(it, { color: 'red', web: 'crash-loop' });
  const failed = await receiver.eventually('1.0.2 is reported', '/events', isType('rolled-back'));

  expect(current.json).toMatchObject({
    subject: `ConfigMap/${it.namespace}/foo`,
    data: { cluster: 'test', version: '1.0.1', previousVersion: '1.0.0', workloads: 1 },
  });
  expect(failed.json.data).toMatchObject({
    version: '1.0.2',
    previousVersion: '1.0.1',
    reason: expect.stringMatching(/^(CrashLoopBackOff|Restarted|Crashed)$/),
  });
  const { status } = await it.rollout();
  expect(current.json.data.activation).toBe(
    status?.history?.find(({ version }) => version === '1.0.1')?.activation,
  );
  expect(current.headers['content-type']).toContain('application/cloudevents+json');
  for (const { headers, body, json } of [current, failed]) {
    const { 'webhook-id': id, 'webhook-timestamp': time } = headers;
    expect(id).toBe(json.id);
    const code = createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${code}`);
  }
  const attempts = receiver.received.filter(({ json }) => json.id === current.json.id);
  expect(attempts.map(({ answered }) => answered)).toEqual([503, 503, 202]);

  const chat = await receiver.eventually('the rollback is in the chat', '/slack/hunter2', () => true);
  expect(chat.json.text).toContain('Version 1.0.2 of ConfigMap');
  const card = await receiver.eventually('a card', '/teams', () => true);
  expect(card.json.attachments[0].content.type).toBe('AdaptiveCard');
  expect(receiver.accepted('/slack/hunter2')).toHaveLength(1);
  expect(receiver.accepted('/elsewhere')).toEqual([]);
  expect(it.controller.log).not.toContain('hunter2');
});

test('a slow receiver and one that is gone delay neither rollouts nor other receivers', async () => {
  const flags = notifying(
    { name: 'slow', url: receiver.url('/slow'), timeout: '60s' },
    { name: 'gone', url: receiver.url('/gone') },
    { name: 'events', url: receiver.url('/events') },
  );
  receiver.answer = ({ path: at }) => (at === '/slow' ? 'nothing' : at === '/gone' ? 410 : 202);
  await using it = await ReleaseStory.start(engine, { flags });
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  for (const [version, color] of [
    ['1.0.1', 'green'],
    ['1.0.2', 'white'],
  ] as const) {
    await edit(it, { color });
    await settled(it, version, ['web']);
    await receiver.eventually(
      `${version} is reported`,
      '/events',
      ({ json }) => json.data.version === version,
    );
  }
  const at = (where: string) => receiver.received.filter((each) => each.path === where);
  await waitFor('both were sent to the receiver that is gone', async () =>
    at('/gone').length === 2 ? { met: true } : { seen: String(at('/gone').length) },
  );
  expect(new Set(at('/gone').map(({ json }) => json.id)).size).toBe(2);
  expect(at('/slow')).toHaveLength(1);
});

test('a leader that is killed before it has delivered an outcome leaves it to the next one, with the same id', async () => {
  const lease = ['--lease-duration', '3s', '--renew-deadline', '2s', '--retry-period', '500ms'];
  const flags = [...notifying({ name: 'events', url: receiver.url('/events') }), ...lease];
  await using it = await ReleaseStory.start(engine, { flags, nodeFlags: [] });
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['foo']);
  await it.given.objects(configMap('foo', { color: 'blue' }), web());
  await settled(it, '1.0.0', ['web']);
  await edit(it, { color: 'green' });
  const first = await receiver.eventually('1.0.1 is reported', '/events', isType('current'));

  receiver.answer = () => 'nothing';
  await edit(it, { color: 'white' });
  const attempted = await waitFor('1.0.2 was attempted', async () => {
    const found = receiver.received.find(({ json }) => json.data.version === '1.0.2');
    return found === undefined ? { seen: 'nothing' } : { met: found };
  });
  await (it.controller as ControllerProcess).kill();
  receiver.answer = () => 202;
  await it.controllerRestarts();
  const repeated = await receiver.eventually(
    '1.0.2 is reported',
    '/events',
    ({ json }) => json.data.version === '1.0.2',
  );
  expect(repeated.json.id).toBe(attempted.json.id);
  expect(repeated.json.id).not.toBe(first.json.id);
  // An orderly handover repeats nothing: the deliveries are recorded.
  const before = receiver.received.length;
  await it.controllerRestarts();
  await edit(it, { color: 'black' });
  await receiver.eventually('1.0.3 is reported', '/events', ({ json }) => json.data.version === '1.0.3');
  expect(receiver.received.slice(before).map(({ json }) => json.data.version)).toEqual(['1.0.3']);
});

test('no notification has a value of a Secret or its hash, also when a pod prints it', async () => {
  const value = 'hunter2-hunter2';
  const flags = notifying(
    ...['cloudevents', 'slack', 'teams'].map((format) => ({
      name: format,
      url: receiver.url(`/${format}`),
      format,
    })),
  );
  await using it = await installedStory(engine, flags, { notifications: true });
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ password = '' }) =>
    password === value ? { crashes: `cannot connect with ${password}`, exitCode: 1 } : 'works',
  );
  const user = deployment('user', mountingSecret('db', '/etc/db'), managed, runningTheApp);
  await it.given.objects(secret('db', { password: 'first' }), user);
  await settled(it, '1.0.0', ['user'], 'secret-db');
  const data = { password: Buffer.from(value).toString('base64') };
  await it.client.patch(secrets, { namespace: it.namespace, name: 'db' }, { type: 'merge', body: { data } });
  const failed = await it.rolloutIs('it is rolled back', ({ phase }) => phase === 'Failed', 'secret-db');
  expect(conditionOf(failed, 'Degraded')?.message, 'the pod prints the value').toContain(value);
  for (const at of ['/cloudevents', '/slack', '/teams'])
    await receiver.eventually(`${at} has the rollback`, at, ({ body }) => body.includes('rolled back'));

  const { items } = await it.client.list<SecretObject>(secrets, { namespace: it.namespace });
  const hashes = SecretHashes.of(items.map((each) => ({ ...each, kind: 'Secret' })));
  for (const { body } of receiver.received) {
    for (const text of [value, data.password, 'first']) expect(body).not.toContain(text);
    expect(hashes.in(body)).toBeUndefined();
  }
});

test('a file that is not valid keeps the controller from starting, and all problems are in the error', async () => {
  const flags = notifying({ name: 'a', url: receiver.url('/hunter2'), allowHttp: false }, { name: 'b' });
  const controller = await ControllerProcess.launch(engine, await engine.namespace(), { flags });
  await controller.ended;
  expect(controller.describe()).toContain('has ended (2)');
  expect(controller.log).toMatch(/target a: the URL must be https[\s\S]*target b: set either url or urlFile/);
  expect(controller.log).not.toContain('hunter2');
});
