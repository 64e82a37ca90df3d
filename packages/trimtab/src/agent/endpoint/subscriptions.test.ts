import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createAuthority } from '@trimtab/kube/tls/authority.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseSubscription } from './subscription.ts';
import { Subscriptions } from './subscriptions.ts';

const target = { podIps: ['10.1.2.3'], containers: ['app', 'proxy'] };
const ca = createAuthority({ commonName: 'ca', now: Date.now(), validForMs: 3_600_000 }).certificate;
const parse = (body: unknown, to = target) => parseSubscription(JSON.stringify(body), to);

describe('a container subscribes', () => {
  test('with a URL of the pod', () => {
    expect(parse({ url: 'http://localhost:8080/reload' })).toEqual({ url: 'http://localhost:8080/reload' });
    expect(parse({ url: 'https://10.1.2.3', container: 'app', ca })).toEqual({
      ...{ url: 'https://10.1.2.3/', container: 'app', ca },
    });
  });

  test('as the only container without its name', () => {
    const only = { ...target, containers: ['app'] };
    expect(parse({ url: 'http://localhost/' }, only)).toMatchObject({ container: 'app' });
  });

  test.each([
    [
      'not JSON',
      '{"url": ',
      /^The body is not a JSON object. Send a body such as {"url": "http:\/\/localhost/,
    ],
    ['null', 'null', /not a JSON object/],
    ['no URL', '{}', /^"url" is not a URL. Send a body such as {"url"/],
    ['a path', '{"url": "/reload"}', /^"url" is not a URL/],
    ['a long URL', JSON.stringify({ url: `http://localhost/${'x'.repeat(3_000)}` }), /^"url" is not a URL/],
    ['ftp', '{"url": "ftp://localhost/"}', /^"url" must begin with http:\/\/ or https:\/\//],
    ['a password', '{"url": "http://me:pw@localhost/"}', /^"url" must not contain a user or a password/],
    ['another host', '{"url": "http://example.com/"}', /^"url" must lead to this pod: to localhost/],
    ['another pod', '{"url": "http://10.1.2.4/"}', /^"url" must lead to this pod/],
    ['an unknown container', '{"url": "http://localhost/", "container": "db"}', /the pod has app, proxy$/],
    ['a bad CA', '{"url": "https://localhost/", "ca": "x"}', /^"ca" is not a PEM certificate/],
    ['a CA of another type', '{"url": "https://localhost/", "ca": 1}', /^"ca" is not a PEM certificate/],
  ])('but not with %s', (_, text, message) => {
    expect(() => parseSubscription(text, target)).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringMatching(message) }),
    );
  });
});

describe('the agent keeps the hooks', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'test-hooks-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const open = (to = target) => new Subscriptions({ folder, target: to, log: silentLogger });
  const url = 'http://localhost:8080/reload';

  test('over its restarts', () => {
    const { subscription } = open().subscribe({ url, container: 'app', ca });
    expect(open().list()).toEqual([subscription]);
    expect(statSync(join(folder, 'hooks.json')).mode & 0o777).toBe(0o600);
  });

  test('once for each URL; the last request counts', () => {
    const hooks = open();
    const first = hooks.subscribe({ url, container: 'app' });
    const second = hooks.subscribe({ url, container: 'proxy' });
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(second.subscription.id).toBe(first.subscription.id);
    expect(open().list()).toEqual([{ id: first.subscription.id, url, container: 'proxy' }]);
  });

  test('until they are removed', () => {
    const hooks = open();
    const { id } = hooks.subscribe({ url }).subscription;
    hooks.unsubscribe(id);
    expect(() => hooks.unsubscribe(id)).toThrow(expect.objectContaining({ status: 404 }));
    expect(open().list()).toEqual([]);
  });

  test('up to 32 of them', () => {
    const hooks = open();
    for (let port = 1; port <= 32; port++) hooks.subscribe({ url: `http://localhost:${port}/` });
    expect(() => hooks.subscribe({ url })).toThrow(/^This pod has 32 hooks, which is the maximum/);
    hooks.subscribe({ url: 'http://localhost:7/' });
    expect(open().list()).toHaveLength(32);
  });

  test.each(['', '{', '{}', 'null', '[null, 1, {}, {"id": "x"}]', '[{"id": "0123456789abcdef"}]'])(
    'but not when the file contains %j',
    (text) => {
      writeFileSync(join(folder, 'hooks.json'), text);
      const hooks = open();
      expect(hooks.list()).toEqual([]);
      expect(hooks.subscribe({ url }).isNew).toBe(true);
      expect(JSON.parse(readFileSync(join(folder, 'hooks.json'), 'utf8'))).toHaveLength(1);
    },
  );

  test('but not those of an IP that the pod no longer has', () => {
    open().subscribe({ url: 'http://10.1.2.3/' });
    expect(open({ ...target, podIps: ['10.1.2.4'] }).list()).toEqual([]);
  });

  test('or says that they cannot be stored', () => {
    const hooks = open();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file');
    expect(() => hooks.subscribe({ url })).toThrow(
      expect.objectContaining({ status: 500, message: expect.stringContaining(`cannot write to ${folder}`) }),
    );
    expect(hooks.list()).toEqual([]);
  });
});
