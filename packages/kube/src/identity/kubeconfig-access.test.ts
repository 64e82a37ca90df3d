import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { createAuthority, issue } from '../tls/authority.ts';
import { loadAccess } from './load-access.ts';

const valid = { now: Date.now() - 60_000, validForMs: 3_600_000 };
const authority = createAuthority({ commonName: 'test-ca', ...valid });
const robot = issue(authority, { commonName: 'robot', usages: ['client'], ...valid });
const base64 = (text: string) => Buffer.from(text).toString('base64');

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-identity-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('HOME', folder);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, typeof content === 'string' ? content : stringify(content));
  return path;
}

/** A kubeconfig with one context, `here`, one cluster and one user. */
function config(cluster: object = {}, user: object = {}, context: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'one', cluster: { server: 'https://one.example:6443', ...cluster } }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me', ...context } }],
  };
}

async function load(content: unknown, context?: string) {
  const kubeconfig = await file('config.yaml', content);
  return loadAccess({ kubeconfig, ...(context === undefined ? {} : { context }) });
}

describe('who and where', () => {
  test('a token, the namespace and the server, behind a path or not', async () => {
    const server = 'https://rancher.example/k8s/clusters/c-1/';
    const access = await load(config({ server }, { token: 'abc' }, { namespace: 'shop' }));
    expect(access).toMatchObject({ server: 'https://rancher.example/k8s/clusters/c-1', namespace: 'shop' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer abc' });
  });

  test('nobody in particular, in the default namespace', async () => {
    const access = await load(config());
    expect(access.namespace).toBe('default');
    expect(await access.headers()).toEqual({});
    expect(await access.tls()).toEqual({});
  });

  test('name and password, for proxies that want them', async () => {
    const access = await load(config({}, { username: 'me', password: 'pw' }));
    expect(await access.headers()).toEqual({ authorization: `Basic ${base64('me:pw')}` });
  });

  test('somebody else', async () => {
    const user = {
      token: 'abc',
      as: 'jane',
      'as-uid': '7',
      'as-groups': ['dev'],
      'as-user-extra': { 'a/b': ['c'] },
    };
    expect(await (await load(config({}, user))).headers()).toEqual({
      authorization: 'Bearer abc',
      'impersonate-user': 'jane',
      'impersonate-uid': '7',
      'impersonate-group': 'dev',
      'impersonate-extra-a%2Fb': 'c',
    });
  });
});

describe('certificates', () => {
  test('in the kubeconfig itself', async () => {
    const access = await load(
      config(
        { 'certificate-authority-data': base64(authority.certificate), 'tls-server-name': 'kubernetes' },
        { 'client-certificate-data': base64(robot.certificate), 'client-key-data': base64(robot.key) },
      ),
    );
    const { ca, cert, key, servername } = await access.tls();
    expect([ca, cert, key].map(String)).toEqual([authority.certificate, robot.certificate, robot.key]);
    expect(servername).toBe('kubernetes');
  });

  test('in files beside it, which are read again for each connection', async () => {
    await file('pki/ca.crt', authority.certificate);
    const cert = await file('pki/me.crt', robot.certificate);
    const key = await file('pki/me.key', robot.key);
    const user = { 'client-certificate': 'pki/me.crt', 'client-key': 'pki/me.key' };
    const access = await load(config({ 'certificate-authority': 'pki/ca.crt' }, user));
    expect(String((await access.tls()).cert)).toBe(robot.certificate);

    const next = issue(authority, { commonName: 'robot', usages: ['client'], ...valid });
    await writeFile(cert, next.certificate);
    await writeFile(key, next.key);
    expect(String((await access.tls()).cert)).toBe(next.certificate);

    await rm(cert);
    expect(String((await access.tls()).cert)).toBe(next.certificate);
  });

  test('not looked at', async () => {
    const access = await load(config({ 'insecure-skip-tls-verify': true }));
    expect(await access.tls()).toEqual({ rejectUnauthorized: false });
  });
});

describe('a token file', () => {
  test('is relative to the kubeconfig, and a new token is taken when the old one was refused', async () => {
    const token = await file('secrets/token', 'first\n');
    const access = await load(config({}, { tokenFile: 'secrets/token', token: 'stale' }));
    expect(await access.headers()).toEqual({ authorization: 'Bearer first' });
    await writeFile(token, 'second\n');
    access.invalidate?.();
    expect(await access.headers()).toEqual({ authorization: 'Bearer second' });
  });

  test.each([
    ['is not there', undefined, /token file .* cannot be read/],
    ['is empty', '\n', /token file .* is empty/],
  ])('that %s is told when a request needs it', async (_case, content, message) => {
    if (content !== undefined) await file('token', content);
    const access = await load(config({}, { tokenFile: 'token' }));
    await expect(access.headers()).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      message: expect.stringMatching(message),
    });
  });
});

describe('which kubeconfig', () => {
  const named = (name: string, server: string, user: string) => ({
    clusters: [{ name, cluster: { server } }],
    users: [{ name, user: { token: user } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  });

  test('KUBECONFIG may name several: the first to say something stands, missing ones are skipped', async () => {
    const first = await file('first', named('a', 'https://a.example', 'token-a'));
    const second = await file('second', {
      ...named('a', 'https://other.example', 'other'),
      'current-context': 'a',
    });
    const third = await file('third', {
      ...named('b', 'https://b.example', 'token-b'),
      'current-context': 'b',
    });
    vi.stubEnv('KUBECONFIG', [join(folder, 'missing'), first, second, third].join(delimiter));
    const current = await loadAccess({});
    expect(current.server).toBe('https://a.example');
    expect(await current.headers()).toEqual({ authorization: 'Bearer token-a' });
    expect((await loadAccess({ context: 'b' })).server).toBe('https://b.example');
  });

  test('a named one wins over KUBECONFIG, which wins over the one at home', async () => {
    await file('.kube/config', config({ server: 'https://home.example' }));
    expect((await loadAccess({})).server).toBe('https://home.example');
    vi.stubEnv('KUBECONFIG', await file('env', config({ server: 'https://env.example' })));
    expect((await loadAccess({})).server).toBe('https://env.example');
    expect((await load(config({ server: 'https://named.example' }))).server).toBe('https://named.example');
  });

  test('a broken entry of another cluster does no harm', async () => {
    const content = { ...config(), users: [{ name: 'me' }, { name: 'other', user: { exec: {} } }] };
    expect((await load(content)).server).toBe('https://one.example:6443');
  });
});

describe('a kubeconfig that cannot be used says why, and what there is', () => {
  test.each<[string, unknown, RegExp]>([
    ['is not YAML', 'clusters: [{ token: s3cret', /is not valid YAML: \S+ at line 1, column \d+\.$/],
    ['is empty', '', /is empty or not a YAML mapping/],
    ['is a list', [1], /is empty or not a YAML mapping/],
    ['has a mapping where a list belongs', { clusters: {} }, /'clusters' must be a list/],
    ['has an entry without a name', { users: [{ user: {} }] }, /users\[0\] has no name/],
    [
      'has no current context',
      { ...config(), 'current-context': '' },
      /no current-context.*--context; available contexts: here/,
    ],
    [
      'names a context that is not there',
      { ...config(), 'current-context': 'x' },
      /no context 'x'. Available contexts: here/,
    ],
    [
      'names a cluster that is not there',
      { ...config(), clusters: [] },
      /no cluster 'one'. Context 'here' refers to it/,
    ],
    [
      'names a user that is not there',
      { ...config(), users: [] },
      /no user 'me'. Context 'here' refers to it/,
    ],
    [
      'has no server',
      { ...config(), clusters: [{ name: 'one', cluster: {} }] },
      /cluster 'one' .* incomplete/,
    ],
    ['has a server that is no URL', config({ server: 'one.example:6443' }), /not an http or https URL/],
    ['wants a proxy', config({ 'proxy-url': 'http://p:1' }), /has a proxy-url, which is not supported/],
    [
      'trusts everybody and somebody',
      config({ 'insecure-skip-tls-verify': true, 'certificate-authority-data': 'YQ==' }),
      /both insecure-skip-tls-verify and a certificate-authority/,
    ],
    [
      'names a missing CA',
      config({ 'certificate-authority': 'no.crt' }),
      /The certificate-authority file .*no\.crt of the kubeconfig cannot be read/,
    ],
    ['has a CA that is none', config({ 'certificate-authority-data': base64('hello') }), /is not PEM/],
    [
      'impersonates two groups',
      config({}, { as: 'jane', 'as-groups': ['a', 'b'] }),
      /The field as-groups of user 'me' .* must be a list of at most one value/,
    ],
    ['impersonates a group of nobody', config({}, { 'as-groups': ['a'] }), /but no user: add 'as'/],
    ['has a plugin without a command', config({}, { exec: { apiVersion: 'x' } }), /has no command/],
    [
      'has a plugin of the past',
      config({}, { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'x' } }),
      /must be client.authentication.k8s.io\/v1 or v1beta1/,
    ],
    [
      'has a plugin that wants a person',
      config(
        {},
        {
          exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'x', interactiveMode: 'Always' },
        },
      ),
      /requires a terminal \(interactiveMode: Always\)/,
    ],
  ])('%s', async (_case, content, message) => {
    const error: unknown = await load(content).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'KubeconfigUnusable',
      exitCode: 2,
      message: expect.stringMatching(message),
    });
    expect(String(error)).not.toContain('s3cret');
  });

  test('a file that was named must be there', async () => {
    const kubeconfig = join(folder, 'nowhere');
    await expect(loadAccess({ kubeconfig })).rejects.toMatchObject({
      code: 'KubeconfigUnusable',
      message: `The kubeconfig ${kubeconfig} cannot be read.`,
    });
  });

  test('of the files in KUBECONFIG one must be there', async () => {
    vi.stubEnv('KUBECONFIG', join(folder, 'nowhere'));
    await expect(loadAccess({})).rejects.toMatchObject({
      message: expect.stringMatching(/None of the files in KUBECONFIG exists/),
    });
  });

  test('with no kubeconfig and no pod, what was looked for is named', async () => {
    await expect(loadAccess({})).rejects.toMatchObject({
      code: 'KubeconfigUnusable',
      message: expect.stringMatching(
        /--kubeconfig and KUBECONFIG are not set, .*config does not exist, .* does not run in a pod/,
      ),
    });
  });
});
