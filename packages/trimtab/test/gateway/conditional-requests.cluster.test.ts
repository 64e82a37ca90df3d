import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConfigRollout, configRollouts } from '../../src/api/config-rollout.ts';
import { CurrentScene } from './support/current-scene.ts';
import { GatewayScene } from './support/gateway-scene.ts';

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

type Headers = Record<string, string>;

const yaml = { accept: 'application/yaml' };
const tagOf = ({ headers }: { headers: globalThis.Headers }) => headers.get('etag') ?? '';

function read(config: string, headers: Headers = {}, kind = 'configmaps') {
  return scene.call('alice', { config, kind, headers });
}

function activate(config: string, version: string, headers: Headers, query = '') {
  return scene.call('alice', {
    method: 'PUT',
    config,
    body: { version },
    rest: `/current${query}`,
    headers,
  });
}

describe('HEAD', () => {
  const versions = () => `/apis/trimtab.dev/v1alpha1/namespaces/${scene.namespace}/configmaps/foo/versions`;

  test.each([
    ['the current version', () => scene.path({ config: 'foo' }), 200],
    ['an unmanaged config', () => scene.path({ config: 'plain' }), 200],
    ['a version', () => scene.path({ config: 'foo', rest: '/1.0.1' }), 200],
    ['the list', versions, 200],
    ['a diff', () => `${versions()}/1.0.0/diff/1.0.1`, 200],
    ['the OpenAPI document', () => '/openapi/trimtab.json', 200],
    ['what does not exist', () => scene.path({ config: 'nothing' }), 404],
    ['a wrong watch', () => `${scene.path({ config: 'foo' })}?watch=true&timeoutSeconds=x`, 400],
  ])('of %s answers as GET does, without the body', async (_, path, code) => {
    const get = await scene.gateway.callWith(scene.token('alice'), { path: path() });
    const head = await scene.gateway.callWith(scene.token('alice'), { path: path(), method: 'HEAD' });
    expect(head.status).toBe(code);
    expect(head.text).toBe('');
    for (const name of ['content-length', 'content-type', 'etag', 'vary', 'cache-control'])
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });

  test('of a watch opens no stream', async () => {
    const open = async () =>
      /^trimtab_gateway_streams (\d+)/m.exec(await scene.gateway.metrics())?.[1] ?? 'no such metric';
    const path = `${scene.path({ config: 'foo' })}?watch=true`;
    const before = Number(await open());
    const left = new AbortController();
    const authorization = `Bearer ${scene.token('alice')}`;
    await fetch(`${scene.gateway.url}${path}`, { headers: { authorization }, signal: left.signal });
    expect(await open()).toBe(String(before + 1));
    const { status, headers, text } = await scene.gateway.callWith(scene.token('alice'), {
      path,
      method: 'HEAD',
    });
    expect([status, headers.get('content-type'), text]).toEqual([200, 'application/json', '']);
    expect(await open()).toBe(String(before + 1));
    left.abort();
  });

  test('is refused to who may not GET', async () => {
    const path = scene.path({ config: 'hidden', kind: 'secrets' });
    const { status, text } = await scene.gateway.callWith(scene.token('bob'), { path, method: 'HEAD' });
    expect([status, text]).toEqual([403, '']);
  });
});

describe('a client that has the current version', () => {
  test.each([
    ['a managed config', 'foo', 'configmaps'],
    ['an unmanaged config', 'plain', 'configmaps'],
    ['an unmanaged Secret', 'hidden', 'secrets'],
  ])('gets a 304 for %s', async (_, config, kind) => {
    const first = await read(config, {}, kind);
    expect(first.status).toBe(200);
    expect(tagOf(first)).toMatch(/^"trimtab:[\w-]+"$/);
    expect(first.headers.get('vary')).toBe('Accept, Authorization');
    expect(first.headers.get('cache-control')).toBe('no-cache, private');
    for (const tags of [tagOf(first), `W/${tagOf(first)}`, `"x", ${tagOf(first)}`, '*']) {
      const again = await read(config, { 'if-none-match': tags }, kind);
      expect([again.status, again.text], tags).toEqual([304, '']);
      expect(tagOf(again)).toBe(tagOf(first));
      expect(again.headers.get('vary')).toBe('Accept, Authorization');
      expect(again.headers.get('cache-control')).toBe('no-cache, private');
    }
    const path = scene.path({ config, kind });
    const headers = { 'if-none-match': tagOf(first) };
    const head = await scene.gateway.callWith(scene.token('alice'), { method: 'HEAD', path, headers });
    expect(head.status).toBe(304);
    for (const other of ['"x"', 'nonsense', '']) {
      const again = await read(config, { 'if-none-match': other }, kind);
      expect([again.status, again.text], other).toEqual([200, first.text]);
    }
  });

  test('gets YAML when it has JSON', async () => {
    const [json, text] = [await read('foo'), await read('foo', yaml)];
    expect(text.text).toContain('color: blue\n');
    expect(tagOf(text)).not.toBe(tagOf(json));
    expect((await read('foo', { ...yaml, 'if-none-match': tagOf(json) })).status).toBe(200);
    expect((await read('foo', { ...yaml, 'if-none-match': tagOf(text) })).status).toBe(304);
  });

  test('costs no read of the content', async () => {
    const log = engine.auditLog();
    const readsOf = async (headers: Headers) => {
      const mark = await log.mark();
      await read('foo', headers);
      const entries = await log.since(mark);
      return entries.filter(
        ({ user, resource }) => user === scene.userName('alice') && resource === 'configmaps',
      ).length;
    };
    const etag = tagOf(await read('foo'));
    expect(await readsOf({})).toBe(2);
    expect(await readsOf({ 'if-none-match': etag })).toBe(1);
  });

  test('may ask any replica', async () => {
    const other = await GatewayScene.start(engine, undefined, {
      access: await engine.access({ serviceAccount: 'gateway', namespace: scene.namespace }),
      current: { namespaces: [scene.namespace] },
    });
    const { token } = await scene.pod('replicas', { configMaps: ['foo', 'plain'] });
    try {
      for (const config of ['foo', 'plain'])
        for (const who of [token, scene.token('alice')]) {
          const path = scene.path({ config });
          const first = await scene.gateway.callWith(who, { path });
          const again = await other.callWith(who, { path, headers: { 'if-none-match': tagOf(first) } });
          expect([first.status, again.status]).toEqual([200, 304]);
        }
    } finally {
      await other.close();
    }
  });

  test('gets the new one as soon as there is one, as a pod as well', async () => {
    await scene.versions('moving', { color: 'blue' }, { color: 'green' });
    const { token } = await scene.pod('moving', { configMaps: ['moving'] });
    const path = scene.path({ config: 'moving' });
    const asPod = (headers: Headers) => scene.gateway.callWith(token, { path, headers });
    const [person, pod] = [tagOf(await read('moving')), tagOf(await asPod({}))];
    expect((await asPod({ 'if-none-match': pod })).status).toBe(304);
    expect((await activate('moving', '1.0.1', {}, '?wait=60s')).status).toBe(200);
    const now = await read('moving', { 'if-none-match': person });
    expect([now.status, now.json.data]).toEqual([200, { color: 'green' }]);
    await waitFor('the pod gets the new version', async () => {
      const { status, json } = await asPod({ 'if-none-match': pod });
      return status === 200 && json.data.color === 'green' ? { met: true } : { seen: String(status) };
    });
  });
});

describe('an activation with If-Match', () => {
  test.each([
    ['another version', '"1.0.1"'],
    ['another tag', '"trimtab:AAAAAAAAAAAAAAAAAAAAAAAAAAA"'],
    ['a weak tag', 'W/"1.0.0"'],
    ['none of a list', '"1.0.1", "1.0.2"'],
  ])('of %s is refused, and nothing changes', async (_, condition) => {
    for (const query of ['', '?dryRun=All']) {
      const { status, json, headers } = await activate('foo', '1.0.1', { 'if-match': condition }, query);
      expect(json).toMatchObject({
        kind: 'Status',
        reason: 'PreconditionFailed',
        details: { kind: 'configmaps', name: 'foo' },
        code: 412,
      });
      expect(json.message).toContain('version "1.0.0" is current; nothing was activated');
      expect(status).toBe(412);
      expect(headers.get('etag')).toBe(tagOf(await read('foo')));
    }
    expect((await read('foo')).json.metadata.version).toBe('1.0.0');
  });

  test.each(['1.0.0', '"1.0.0', '', '"50%"', '"grün"'])('of %j is not understood', async (condition) => {
    const { status, json } = await activate('foo', '1.0.1', { 'if-match': condition });
    expect([status, json.reason]).toEqual([400, 'BadRequest']);
    const unsupported = await activate('foo', '1.0.1', { 'if-none-match': '"1.0.0"' });
    expect(unsupported.status).toBe(400);
  });

  test('of the current version, by name or by tag, is planned', async () => {
    const tags = [tagOf(await read('foo')), tagOf(await read('foo', yaml))];
    for (const condition of ['*', '"1.0.0"', '"x", "1.0.0"', ...tags]) {
      const { status } = await activate('foo', '1.0.1', { 'if-match': condition }, '?dryRun=All');
      expect(status, condition).toBe(200);
    }
  });

  test('of an unmanaged config is checked, too', async () => {
    const etag = tagOf(await read('plain'));
    for (const condition of ['*', '"1.0.0"', etag])
      expect((await activate('plain', '1.0.0', { 'if-match': condition })).status).toBe(200);
    expect((await activate('plain', '1.0.0', { 'if-match': '"1.0.1"' })).status).toBe(412);
    expect((await activate('nothing', '1.0.0', { 'if-match': '*' })).status).toBe(404);
  });

  test('of the tag of a response is met while a request waits, and the tag from before it is not', async () => {
    const { story } = scene;
    await scene.versions('waiting', { n: '0' }, { n: '1' }, { n: '2' });
    const isPaused = (paused: boolean) =>
      story.when.edited<ConfigRollout>(configRollouts, 'configmap-waiting', ({ spec }) => {
        spec.paused = paused;
      });
    await isPaused(true);
    const before = tagOf(await read('waiting'));
    expect((await activate('waiting', '1.0.1', { 'if-match': before })).status).toBe(202);
    const seen = tagOf(await read('waiting'));
    expect(seen).not.toBe(before);
    expect((await read('waiting', { 'if-none-match': seen })).status).toBe(304);
    const refused = await activate('waiting', '1.0.2', { 'if-match': before });
    expect([refused.status, tagOf(refused)]).toEqual([412, seen]);
    expect(refused.json.message).toContain(
      'version "1.0.0" is current, and activation of version "1.0.1" is requested',
    );
    for (const query of ['?dryRun=All', ''])
      expect([200, 202]).toContain((await activate('waiting', '1.0.2', { 'if-match': seen }, query)).status);
    await isPaused(false);
    await story.isCurrent('1.0.2', 'configmap-waiting');
  });

  test('by several people with the same tag: one activates, the others are told', async () => {
    await scene.versions('race', { n: '0' }, { n: '1' }, { n: '2' }, { n: '3' });
    const condition = { 'if-match': tagOf(await read('race')) };
    const wanted = ['1.0.1', '1.0.2', '1.0.3'];
    const answers = await Promise.all(wanted.map((version) => activate('race', version, condition)));
    const won = answers.findIndex(({ status }) => status < 300);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 412, 412]);
    for (const { json } of answers.filter(({ status }) => status === 412))
      expect(json.message).toMatch(
        new RegExp(
          `version "1.0.0" is current, and .* "${wanted[won]}" is|version "${wanted[won]}" is current`,
        ),
      );
    await scene.story.isCurrent(wanted[won] ?? '', 'configmap-race');
    const late = await activate('race', '1.0.0', { 'if-match': '"1.0.0"' });
    expect(late.json.message).toContain(`version "${wanted[won]}" is current`);
    expect((await activate('race', '1.0.0', { 'if-match': `"${wanted[won]}"` })).status).toBe(202);
  });
});
