import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { createAuthority, issue } from '../tls/authority.ts';
import { type LoadAccessOptions, loadAccess } from './load-access.ts';

const valid = { now: Date.now() - 60_000, validForMs: 3_600_000 };
const authority = createAuthority({ commonName: 'test-ca', ...valid });
const other = createAuthority({ commonName: 'other-ca', ...valid });
const robot = issue(authority, { commonName: 'robot', usages: ['client'], ...valid });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const basic = (text: string) => ({ authorization: `Basic ${base64(text)}` });

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-flags-'));
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('HOME', folder);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
});

afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return path;
}

/** A kubeconfig with the context `here`, and with a second cluster and user. */
function config(cluster: object = {}, user: object = {}): Record<string, unknown> {
  return {
    'current-context': 'here',
    clusters: [
      { name: 'one', cluster: { server: 'https://one.example', ...cluster } },
      { name: 'two', cluster: { server: 'https://two.example', 'insecure-skip-tls-verify': true } },
    ],
    users: [
      { name: 'me', user },
      { name: 'you', user: { token: 'yours' } },
    ],
    contexts: [{ name: 'here', context: { cluster: 'one', user: 'me', namespace: 'shop' } }],
  };
}

async function load(content: object, flags: LoadAccessOptions) {
  return loadAccess({ kubeconfig: await file('config', stringify(content)), ...flags });
}

/** An exec plugin that fails when it is run. */
const exec = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'no-such-plugin',
  interactiveMode: 'Never',
};

describe('flags choose the entries of the kubeconfig', () => {
  test('the cluster and the user; the namespace stays that of the context', async () => {
    const access = await load(config(), { cluster: 'two', user: 'you' });
    expect(access).toMatchObject({ server: 'https://two.example', namespace: 'shop' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer yours' });
    expect(await access.tls()).toEqual({ rejectUnauthorized: false });
  });

  test('no context is required when the cluster or the server is chosen', async () => {
    const content = { ...config(), 'current-context': '' };
    const chosen = await load(content, { cluster: 'one', user: 'you' });
    expect(chosen).toMatchObject({ server: 'https://one.example', namespace: 'default' });
    expect(await chosen.headers()).toEqual({ authorization: 'Bearer yours' });
    const anonymous = await load(content, { server: 'https://three.example' });
    expect(anonymous.server).toBe('https://three.example');
    expect(await anonymous.headers()).toEqual({});
  });

  test('a cluster that the context names may be missing when the server is given', async () => {
    const content = { ...config({}, { token: 'mine' }), clusters: [] };
    const access = await load(content, { server: 'https://three.example' });
    expect(access.server).toBe('https://three.example');
    expect(await access.headers()).toEqual({ authorization: 'Bearer mine' });
  });
});

describe('flags replace fields of the cluster', () => {
  const data = {
    'certificate-authority-data': base64(authority.certificate),
    'tls-server-name': 'kubernetes',
  };

  test('the server, and with it the name of its certificate', async () => {
    const access = await load(config(data), { server: 'https://three.example/prefix/' });
    expect(access.server).toBe('https://three.example/prefix');
    const tls = await access.tls();
    expect(String(tls.ca)).toBe(authority.certificate);
    expect(tls).not.toHaveProperty('servername');
  });

  test('the name of the certificate', async () => {
    const server = 'https://127.0.0.1:6443';
    for (const flags of [{ tlsServerName: 'api' }, { tlsServerName: 'api', server }])
      expect(await (await load(config(data), flags)).tls()).toMatchObject({ servername: 'api' });
  });

  test('the certificate authority, also of a cluster that is not verified', async () => {
    const certificateAuthority = await file('other.crt', other.certificate);
    for (const cluster of [data, { 'insecure-skip-tls-verify': true }]) {
      const { ca, rejectUnauthorized } = await (await load(config(cluster), { certificateAuthority })).tls();
      expect(String(ca)).toBe(other.certificate);
      expect(rejectUnauthorized).toBeUndefined();
    }
  });

  test('the verification, which then needs no certificate authority', async () => {
    const access = await load(config(data), { insecureSkipTlsVerify: true });
    expect(await access.tls()).toEqual({ servername: 'kubernetes', rejectUnauthorized: false });
    const verified = await load(config(data), { insecureSkipTlsVerify: false });
    expect(String((await verified.tls()).ca)).toBe(authority.certificate);
  });
});

describe('flags replace fields of the user', () => {
  test.each<[string, object]>([
    ['token', { token: 'old' }],
    ['token file', { tokenFile: 'missing' }],
    ['exec plugin', { exec }],
    ['auth provider', { 'auth-provider': { name: 'oidc', config: {} } }],
  ])('a token takes precedence over the %s', async (_case, user) => {
    const access = await load(config({}, user), { token: 'new' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer new' });
    expect(await access.tls()).toEqual({});
  });

  test('username and password, each or both', async () => {
    const user = { username: 'me', password: 'old' };
    expect(await (await load(config({}, user), { password: 'new' })).headers()).toEqual(basic('me:new'));
    expect(await (await load(config({}, user), { username: 'you' })).headers()).toEqual(basic('you:old'));
    const both = { username: 'you', password: 'new' };
    expect(await (await load(config({}, { exec }), both)).headers()).toEqual(basic('you:new'));
  });

  test('the client certificate and its key; then no exec plugin runs', async () => {
    const user = { 'client-certificate-data': base64('old'), 'client-key-data': base64('old'), exec };
    const files = {
      clientCertificate: await file('robot.crt', robot.certificate),
      clientKey: await file('robot.key', robot.key),
    };
    const access = await load(config({}, user), files);
    const { cert, key } = await access.tls();
    expect([cert, key].map(String)).toEqual([robot.certificate, robot.key]);
    expect(await access.headers()).toEqual({});
  });

  test('the impersonated user; a group of the kubeconfig stays', async () => {
    const user = { token: 'mine', as: 'joe', 'as-groups': ['dev'] };
    const headers = { authorization: 'Bearer mine', 'impersonate-user': 'jane', 'impersonate-group': 'dev' };
    const access = await load(config({}, user), { as: 'jane' });
    expect(await access.headers()).toEqual(headers);
    const grouped = await load(config({}, user), { as: 'jane', asGroup: ['ops'] });
    expect(await grouped.headers()).toEqual({ ...headers, 'impersonate-group': 'ops' });
    expect([access, grouped].map(({ repeatedHeaders }) => repeatedHeaders)).toEqual([undefined, undefined]);
  });

  test('several impersonated groups', async () => {
    const user = { as: 'joe', 'as-groups': ['a', 'b'] };
    const access = await load(config({}, user), { asGroup: ['dev', 'ops'] });
    expect(await access.headers()).toEqual({ 'impersonate-user': 'joe' });
    expect(access.repeatedHeaders).toEqual({ 'impersonate-group': ['dev', 'ops'] });
  });
});

describe('without a kubeconfig', () => {
  const server = 'https://three.example';

  test('the server and a token are enough', async () => {
    const access = await loadAccess({ server, token: 'mine', tlsServerName: 'api' });
    expect(access).toMatchObject({ server, namespace: 'default' });
    expect(await access.headers()).toEqual({ authorization: 'Bearer mine' });
    expect(await access.tls()).toEqual({ servername: 'api' });
  });

  test('the server alone is enough, also in a pod and when no file of KUBECONFIG exists', async () => {
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1');
    expect(await (await loadAccess({ server })).headers()).toEqual({});
    const missing = ['a', 'b'].map((name) => join(folder, name)).join(delimiter);
    vi.stubEnv('KUBECONFIG', missing);
    expect((await loadAccess({ server, kubeconfig: missing })).server).toBe(server);
  });

  test('the file of --kubeconfig must exist', async () => {
    await expect(loadAccess({ server, kubeconfig: join(folder, 'a') })).rejects.toMatchObject({
      message: `The kubeconfig ${join(folder, 'a')} cannot be read.`,
    });
  });

  test.each(['context', 'cluster', 'user'])('--%s has nothing to refer to', async (flag) => {
    await expect(loadAccess({ server, [flag]: 'x' })).rejects.toMatchObject({
      code: 'KubeconfigUnusable',
      message: `--${flag} 'x' requires a kubeconfig, but none exists. Set --kubeconfig or KUBECONFIG.`,
    });
  });
});

test('an option with the value of KUBECONFIG lists several files', async () => {
  const first = await file('first', stringify(config({}, { token: 'mine' })));
  const listed = [join(folder, 'missing'), first].join(delimiter);
  vi.stubEnv('KUBECONFIG', listed);
  expect((await loadAccess({ kubeconfig: listed })).server).toBe('https://one.example');
});

test('over http, no credentials are sent', async () => {
  const server = 'http://127.0.0.1:8001';
  const user = { token: 'mine', exec, as: 'joe', 'as-groups': ['dev'] };
  const access = await load(config({}, user), { server });
  expect(await access.headers()).toEqual({ 'impersonate-user': 'joe', 'impersonate-group': 'dev' });
  await expect(loadAccess({ server, token: 's3cret', password: 's3cret' })).rejects.toMatchObject({
    code: 'KubeconfigUnusable',
    message:
      '--token, --password cannot be used with the http URL of --server: credentials are sent over https only. Use an https URL.',
  });
});

describe('flags that cannot be used are named', () => {
  test.each<[string, LoadAccessOptions, object, RegExp]>([
    ['a server without a scheme', { server: '10.0.0.1:6443' }, {}, /--server is not an http or https URL/],
    [
      'a CA that is not used',
      { certificateAuthority: 'a', insecureSkipTlsVerify: true },
      {},
      /--insecure-skip-tls-verify and --certificate-authority exclude each other/,
    ],
    ['a CA that is missing', { certificateAuthority: 'no.crt' }, {}, /no\.crt of --certificate-authority/],
    [
      'a cluster that is missing',
      { cluster: 'x' },
      {},
      /no cluster 'x'. --cluster refers to it; available clusters: one, two\.$/,
    ],
    ['a user that is missing', { user: 'x' }, {}, /no user 'x'. --user .* available users: me, you\.$/],
    ['a certificate without a key', { clientCertificate: 'a' }, {}, /add --client-key\.$/],
    ['a key without a certificate', { clientKey: 'a' }, {}, /add --client-certificate\.$/],
    ['a password without a username', { password: 's3cret' }, {}, /add --username\.$/],
    ['a group of no user', { asGroup: ['a', 'b'] }, {}, /^--as-group .*: add --as\.$/],
    [
      'a token and a password',
      { token: 's3cret', password: 's3cret' },
      { username: 'me' },
      /^--token and --password exclude each other/,
    ],
    [
      'a token for a user with a password',
      { token: 's3cret' },
      { username: 'me', password: 's3cret' },
      /^--token .* username or password of user 'me' in .*--user\.$/,
    ],
    [
      'a username for a user with a token',
      { username: 'you', password: 's3cret' },
      { token: 's3cret' },
      /^--username .* token of user 'me' in .*--user\.$/,
    ],
  ])('%s', async (_case, flags, user, message) => {
    const error: unknown = await load(config({}, user), flags).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'KubeconfigUnusable',
      exitCode: 2,
      message: expect.stringMatching(message),
    });
    expect(String(error)).not.toContain('s3cret');
  });

  test('a file that is no certificate', async () => {
    const certificateAuthority = await file('ca.crt', 'hello');
    await expect(load(config(), { certificateAuthority })).rejects.toMatchObject({
      message: expect.stringMatching(/^A certificate or key of --certificate-authority is not PEM/),
    });
    const clientCertificate = await file('me.crt', robot.certificate);
    const user = { 'client-key-data': base64(authority.key) };
    await expect(load(config({}, user), { clientCertificate })).rejects.toMatchObject({
      message: expect.stringMatching(/^A certificate or key of --client-certificate or user 'me' is not PEM/),
    });
  });
});
