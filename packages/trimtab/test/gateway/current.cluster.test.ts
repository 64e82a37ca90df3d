import { configMaps, pods } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { annotations, labels } from '../../src/api/names.ts';
import { CurrentScene } from './support/current-scene.ts';
import { podToken } from './support/pod-token.ts';

let engine: Engine;
let scene: CurrentScene;

beforeAll(async () => {
  engine = await currentEngine();
  scene = await CurrentScene.start(engine);
  await scene.versions('foo', { color: 'blue' }, { color: 'green' });
  await scene.story.given.objects(
    configMap('plain', { color: 'grey' }),
    secret('hidden', { password: 'swordfish' }),
  );
});

afterAll(async () => {
  await scene?.[Symbol.asyncDispose]();
  await engine?.close();
});

const withoutResourceVersion = ({ metadata, ...rest }: { metadata: Record<string, unknown> }) => {
  const { resourceVersion: _, ...stable } = metadata;
  return { ...rest, metadata: stable };
};
const state = (object: { metadata: { annotations: Record<string, string> } }) =>
  object.metadata.annotations[labels.state];

describe('a person', () => {
  test('reads the current version under the name of the config, on both paths', async () => {
    const { status, json } = await scene.call('bob', { config: 'foo' });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'foo', version: '1.0.0' },
      data: { color: 'blue' },
    });
    expect(state(json)).toBe('current');
    const path = `/api/version/namespaces/${scene.namespace}/configmaps/foo/current`;
    const alias = await scene.gateway.callWith(scene.token('bob'), { path });
    // The controller may write the owners of a version between two reads.
    expect(withoutResourceVersion(alias.json)).toEqual(withoutResourceVersion(json));
  });

  test('reads a config that nobody manages as 1.0.0, and nothing is written', async () => {
    const log = engine.auditLog();
    const mark = await log.mark();
    const { status, json } = await scene.call('alice', { config: 'plain' });
    expect(status).toBe(200);
    expect(json).toMatchObject({ metadata: { name: 'plain', version: '1.0.0' }, data: { color: 'grey' } });
    const entries = (await log.since(mark)).filter(({ user }) => user.includes(scene.namespace));
    expect(new Set(entries.map(({ user }) => user))).toEqual(new Set([scene.userName('alice')]));
    // The gateway asks once who has the token. The API server stores no review.
    const requests = entries.filter(({ resource }) => resource !== 'selfsubjectreviews');
    expect(new Set(requests.map(({ verb }) => verb))).toEqual(new Set(['get']));
  });

  test('gets the cluster’s own refusal for what they may not read', async () => {
    const { status, json, text } = await scene.call('bob', { kind: 'secrets', config: 'hidden' });
    expect(status).toBe(403);
    expect(json).toMatchObject({ kind: 'Status', reason: 'Forbidden', details: { kind: 'secrets' } });
    expect(text).not.toContain(Buffer.from('swordfish').toString('base64'));
    const watch = await scene.call('bob', { kind: 'secrets', config: 'hidden', rest: '/current?watch=true' });
    expect(watch.status).toBe(403);
  });

  test('is told that there is no such config', async () => {
    const { status, json } = await scene.call('alice', { config: 'nothing' });
    expect(status).toBe(404);
    expect(json).toMatchObject({ reason: 'NotFound', details: { name: 'nothing' } });
  });
});

describe('a pod', () => {
  test('whose spec names the original reads what is current', async () => {
    const { token } = await scene.pod('original', { configMaps: ['foo'] });
    const { status, json } = await scene.gateway.callWith(token, { path: scene.path({ config: 'foo' }) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ metadata: { name: 'foo', version: '1.0.0' }, data: { color: 'blue' } });
  });

  test('whose spec names a version reads that one, whatever is current', async () => {
    const copy = (await scene.story.copies('foo')).get('1.0.1')?.metadata.name ?? '';
    const { token } = await scene.pod('on-copy', { configMaps: [copy] });
    const { status, json } = await scene.gateway.callWith(token, { path: scene.path({ config: 'foo' }) });
    expect(status).toBe(200);
    expect(json).toMatchObject({ metadata: { name: 'foo', version: '1.0.1' }, data: { color: 'green' } });
    expect(state(json)).toBe('not-current');
  });

  test('reads a config and a Secret that nobody manages, with the gateway’s own identity', async () => {
    const { token } = await scene.pod('unmanaged', { configMaps: ['plain'], secrets: ['hidden'] });
    const plain = await scene.gateway.callWith(token, { path: scene.path({ config: 'plain' }) });
    expect(plain.json).toMatchObject({ metadata: { version: '1.0.0' }, data: { color: 'grey' } });
    const path = scene.path({ config: 'hidden', kind: 'secrets' });
    expect((await scene.gateway.callWith(token, { path })).json.data).toEqual({
      password: Buffer.from('swordfish').toString('base64'),
    });
  });

  test('may read nothing else: two pods of different rights', async () => {
    const marks = { [annotations.config]: 'foo', [annotations.manage]: 'foo,secret/hidden' };
    const { pod, token } = await scene.pod('one', { configMaps: ['plain'] }, marks);
    const { token: other } = await scene.pod('two', { secrets: ['hidden'] });
    const as = (who: string, config: string, kind?: string, rest?: string) =>
      scene.gateway.callWith(who, {
        path: scene.path({ config, ...(kind && { kind }), ...(rest && { rest }) }),
      });
    expect((await as(token, 'plain')).status).toBe(200);
    expect((await as(other, 'hidden', 'secrets')).status).toBe(200);
    for (const refused of [
      await as(token, 'foo'),
      await as(token, 'hidden', 'secrets'),
      await as(other, 'plain'),
      await as(other, 'hidden'),
      await as(token, 'plain', 'configmaps', '/1.0.0'),
      await scene.gateway.callWith(token, { path: '/api/v1/namespaces/default/configmaps/plain/current' }),
      await scene.gateway.callWith(token, {
        method: 'PUT',
        path: scene.path({ config: 'plain' }),
        body: { version: '1.0.0' },
      }),
    ]) {
      expect(refused.status).toBe(403);
      expect(refused.json).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
      expect(refused.json.message).toMatch(/pod/);
    }
    // A token for another audience is treated as a person's: the rights of the ServiceAccount apply.
    const ordinary = await podToken(scene.story.client, pod, 'https://kubernetes.default.svc.cluster.local');
    expect((await as(ordinary, 'plain')).status).not.toBe(200);
  });

  test('can’t ask with a token that nobody signed, or that is bound to nothing', async () => {
    const claims = Buffer.from(JSON.stringify({ aud: ['trimtab.dev'] })).toString('base64url');
    const forged = await scene.gateway.callWith(`e30.${claims}.AAAA`, {
      path: scene.path({ config: 'foo' }),
    });
    expect(forged.status).toBe(401);
    const { status: unbound } = await scene.story.client.raw<{ status: { token: string } }>({
      method: 'POST',
      path: `/api/v1/namespaces/${scene.namespace}/serviceaccounts/alice/token`,
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['trimtab.dev'] },
      },
    });
    const answer = await scene.gateway.callWith(unbound.token, { path: scene.path({ config: 'foo' }) });
    expect(answer.status).toBe(403);
    expect(answer.json.message).toContain('bound to a pod');
  });

  test('acknowledges what it was given, and nothing else', async () => {
    const { token } = await scene.pod('acks', { configMaps: ['foo'] });
    const path = scene.path({ config: 'foo', rest: '/current/ack' });
    const post = (body: unknown) => scene.gateway.callWith(token, { method: 'POST', path, body });
    const current = await scene.gateway.callWith(token, { path: scene.path({ config: 'foo' }) });
    const object = current.json.metadata.annotations['trimtab.dev/object'];
    const said = { object, result: 'Acknowledged', sequence: 1 };
    // No workload judges by this pod, so there is nothing to record.
    expect((await post(said)).status).toBe(200);
    expect(await post({ ...said, object: 'foo-other' })).toMatchObject({
      status: 409,
      json: { message: expect.stringContaining('foo-other is not the version that pod "acks" should run') },
    });
    expect((await post({ ...said, result: 'Perhaps' })).json.message).toContain(
      '"Acknowledged" or "Refused"',
    );
    expect((await post({ ...said, sequence: -1 })).status).toBe(422);
    expect((await post('{')).status).toBe(400);
    expect((await post('x'.repeat(20_000))).status).toBe(413);
  });

  test('acknowledges in JSON or YAML, not with a form', async () => {
    const { token } = await scene.pod('forms', { configMaps: ['foo'] });
    const path = scene.path({ config: 'foo', rest: '/current/ack' });
    const request = { method: 'POST', path, body: '{}', contentType: 'application/x-www-form-urlencoded' };
    const { status, json } = await scene.gateway.callWith(token, request);
    expect([status, json]).toEqual([415, expect.objectContaining({ reason: 'UnsupportedMediaType' })]);
    const yaml = {
      ...request,
      body: 'object: foo-other\nresult: Acknowledged\nsequence: 1\n',
      contentType: 'application/yaml',
    };
    expect((await scene.gateway.callWith(token, yaml)).status).toBe(409);
  });

  test('acknowledges only as itself', async () => {
    const path = scene.path({ config: 'foo', rest: '/current/ack' });
    const body = { object: 'foo-1', result: 'Acknowledged', sequence: 1 };
    const { token } = await scene.pod('stranger', { configMaps: ['bar'] });
    expect((await scene.gateway.callWith(token, { method: 'POST', path, body })).status).toBe(403);
    const alice = { serviceAccount: 'alice', namespace: scene.namespace };
    expect((await scene.gateway.call(alice, { method: 'POST', path, body })).status).toBe(403);
  });
});

describe('a watch', () => {
  test('of a config that nobody manages tells of each edit, of its end and of its return', async () => {
    await scene.story.given.object(configMap('edited', { color: 'red' }));
    const watch = await scene.watch(scene.token('alice'), 'edited');
    await watch.until('what there is', ({ type, object }) => type === 'ADDED' && object.data.color === 'red');
    await scene.story.when.edited<ConfigMap>(configMaps, 'edited', withData({ color: 'pink' }));
    await watch.until('the edit', ({ type, object }) => type === 'MODIFIED' && object.data.color === 'pink');
    await scene.story.when.deleted(configMaps, 'edited');
    await watch.until('the end', ({ type }) => type === 'DELETED');
    await scene.story.given.object(configMap('edited', { color: 'new' }));
    await watch.until('the return', ({ type, object }) => type === 'ADDED' && object.data.color === 'new');
    watch.close();
  });

  test('ends when its time is over, and can be resumed without being told the same again', async () => {
    const first = await scene.watch(scene.token('bob'), 'foo', '&timeoutSeconds=1');
    const { object } = await first.until('what there is', ({ type }) => type === 'ADDED');
    expect(await first.ended()).toBe('by server');
    const from = `&timeoutSeconds=1&resourceVersion=${object.metadata.resourceVersion}`;
    const second = await scene.watch(scene.token('bob'), 'foo', from);
    expect(await second.ended()).toBe('by server');
    expect(second.summary()).toBe('nothing');
    const third = await scene.watch(scene.token('bob'), 'foo', '&timeoutSeconds=1&resourceVersion=1');
    expect(await third.ended()).toBe('by server');
    expect(third.summary()).toBe('MODIFIED 1.0.0 current');
  });

  test('from a resourceVersion that does not exist yet is refused: it would be silent', async () => {
    const { token } = await scene.pod('from-the-future', { configMaps: ['foo', 'plain'] });
    for (const [who, config] of [
      [scene.token('bob'), 'foo'],
      [scene.token('bob'), 'plain'],
      [token, 'foo'],
      [token, 'plain'],
    ] as const) {
      const { status, json } = await scene.gateway.callWith(who, {
        path: scene.path({ config, rest: '/current?watch=true&resourceVersion=99999999999999999999' }),
      });
      expect([status, json.kind, json.reason]).toEqual([410, 'Status', 'Expired']);
      expect(json.message).toContain('Watch again without resourceVersion');
    }
  });

  test('ends with the rights of the person who has it', async () => {
    await scene.story.given.object(configMap('revoked', { color: 'red' }));
    const watch = await scene.watch(scene.token('carol'), 'revoked');
    await watch.until('what there is', ({ type }) => type === 'ADDED');
    const { client, namespace } = scene.story;
    await removeObjects(client, [{ kind: 'RoleBinding', metadata: { namespace, name: 'carol' } }]);
    await scene.story.when.edited<ConfigMap>(configMaps, 'revoked', withData({ color: 'secret' }));
    const { object } = await watch.until('the refusal', ({ type }) => type === 'ERROR');
    expect(object).toMatchObject({ kind: 'Status', code: 403, reason: 'Forbidden' });
    expect(await watch.ended()).toBe('by server');
    expect(JSON.stringify(watch.events)).not.toContain('"secret"');
  });

  test('of a pod ends with the pod, at once', async () => {
    const { token } = await scene.pod('short-lived', { configMaps: ['foo'] });
    const watch = await scene.watch(token, 'foo');
    await watch.until('what there is', ({ type }) => type === 'ADDED');
    await scene.story.when.deleted(pods, 'short-lived');
    expect(await watch.ended()).toBe('by server');
    const { status } = await scene.gateway.callWith(token, { path: scene.path({ config: 'foo' }) });
    expect([401, 403]).toContain(status);
  });

  test('is one of a few that a pod may have', async () => {
    const { token } = await scene.pod('greedy', { configMaps: ['foo'] });
    const open = await Promise.all([1, 2, 3].map(() => scene.watch(token, 'foo')));
    const { status, headers, json } = await scene.gateway.callWith(token, {
      path: scene.path({ config: 'foo', rest: '/current?watch=true' }),
    });
    expect(status).toBe(429);
    expect(headers.get('retry-after')).toBe('5');
    expect(json.reason).toBe('TooManyRequests');
    for (const watch of open) watch.close();
  });
});
