import { X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPodCertificate, toPem } from './pod-certificate.ts';
import { openPodSecrets, type PodSecretsOptions } from './pod-secrets.ts';

const now = Date.UTC(2026, 0, 1);
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (options: Partial<PodSecretsOptions> = {}) =>
  openPodSecrets({
    ...{ privateFolder: join(folder, 'private'), publicFolder: join(folder, 'public') },
    ...{ podIps: ['10.1.2.3'], now, ...options },
  });
const read = (name: string) => readFileSync(join(folder, name), 'utf8');
const mode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);

describe('the agent starts for the first time', () => {
  test('and creates a token and a certificate', () => {
    const { token, certificate } = open();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(read('public/token')).toBe(token);
    expect(read('public/token.env')).toBe(`MY_CONFIG_TOKEN='${token}'\n`);
    expect(read('public/ca.crt')).toBe(certificate.authority);
    expect(readdirSync(join(folder, 'public')).sort()).toEqual(['ca.crt', 'token', 'token.env']);
    expect(readdirSync(join(folder, 'private'))).toEqual(['endpoint.pem']);
    expect(read('public/ca.crt')).not.toContain('PRIVATE KEY');
  });

  test('and only the agent may read the key', () => {
    open();
    expect(mode('private/endpoint.pem')).toBe('600');
    expect(['ca.crt', 'token', 'token.env'].map((name) => mode(`public/${name}`))).toEqual([
      '644',
      '644',
      '644',
    ]);
  });

  test('and the certificate is valid for the pod and for its life', () => {
    const { certificate } = open({ podIps: ['10.1.2.3', 'fd00::3'] });
    const leaf = new X509Certificate(certificate.certificate);
    for (const ip of ['10.1.2.3', 'fd00::3', '127.0.0.1', '::1']) expect(leaf.checkIP(ip)).toBe(ip);
    expect(leaf.checkHost('localhost')).toBe('localhost');
    expect(leaf.checkIP('10.1.2.4')).toBeUndefined();
    expect(Date.parse(leaf.validTo) - now).toBeGreaterThan(9 * 365 * 86_400_000);
  });

  test('with the token of the spec', () => {
    const { token } = open({ token: 'a-token-of-the-spec' });
    expect(token).toBe('a-token-of-the-spec');
    expect(read('public/token')).toBe('a-token-of-the-spec');
  });

  test.each(['', 'short', "with'quotes-and-more", 'with a space in it', 'with-a-line\n-break-in-it'])(
    'but not with the token %j',
    (token) => {
      expect(() => open({ token })).toThrow(
        /^MY_CONFIG_TOKEN is not a valid token: .*trimtab\.dev\/token-env/,
      );
    },
  );
});

describe('the agent starts again', () => {
  test('and keeps the token and the certificate', () => {
    const first = open();
    expect(open({ now: now + 86_400_000 })).toEqual(first);
  });

  test('and creates a new certificate when the pod has a new IP, with the same token', () => {
    const first = open();
    const second = open({ podIps: ['10.1.2.4'] });
    expect(second.token).toBe(first.token);
    expect(second.certificate.certificate).not.toBe(first.certificate.certificate);
    expect(read('public/ca.crt')).toBe(second.certificate.authority);
  });

  test.each([
    ['is garbage', () => 'garbage'],
    ['is empty', () => ''],
    ['lacks its end', (pem: string) => pem.slice(0, -100)],
    [
      'has the key of another certificate',
      (pem: string) => {
        const { key } = createPodCertificate(['10.1.2.3'], now);
        return key + pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'));
      },
    ],
    [
      'has another authority',
      (pem: string) => {
        const { authority } = createPodCertificate(['10.1.2.3'], now);
        return pem.slice(0, pem.lastIndexOf('-----BEGIN CERTIFICATE')) + authority;
      },
    ],
    ['is near its expiry', () => toPem(createPodCertificate(['10.1.2.3'], now - 9 * 365 * 86_400_000))],
  ])('and replaces a certificate file that %s', (_, damage) => {
    const first = open();
    const file = join(folder, 'private/endpoint.pem');
    const damaged = damage(readFileSync(file, 'utf8'));
    writeFileSync(file, damaged);
    const second = open();
    expect(second.token).toBe(first.token);
    expect(toPem(second.certificate)).not.toBe(damaged);
    expect(read('public/ca.crt')).toBe(second.certificate.authority);
    expect(open()).toEqual(second);
  });

  test('and replaces a damaged token', () => {
    open();
    writeFileSync(join(folder, 'public/token'), 'half-a-tok');
    const { token } = open();
    expect(read('public/token.env')).toBe(`MY_CONFIG_TOKEN='${token}'\n`);
    expect(token).toHaveLength(43);
  });

  test('after it was killed at any step, and every file is whole', () => {
    const steps: string[] = [];
    open({ onStep: (step) => steps.push(step) });
    expect(steps).toHaveLength(12);
    for (const [killedAt] of steps.entries()) {
      rmSync(folder, { recursive: true });
      let step = 0;
      const onStep = () => {
        if (step++ === killedAt) throw new Error('killed');
      };
      expect(() => open({ onStep })).toThrow();
      const before = publicToken();
      const { token, certificate } = open();
      if (before !== undefined) expect(token).toBe(before);
      expect(read('public/token')).toBe(token);
      expect(read('public/ca.crt')).toBe(certificate.authority);
      expect(read('public/token.env')).toContain(token);
      expect(readdirSync(join(folder, 'public')).sort()).toEqual(['ca.crt', 'token', 'token.env']);
      expect(open()).toEqual({ token, certificate });
    }
  });
});

test('a folder that cannot be written is named, with what to do', () => {
  writeFileSync(join(folder, 'private'), 'a file');
  expect(() => open()).toThrow(
    `the in-pod endpoint cannot write to ${join(folder, 'private')}: a file is in the place of a folder`,
  );
  rmSync(join(folder, 'private'));
  mkdirSync(join(folder, 'public/token'), { recursive: true });
  expect(() => open()).toThrow(`the in-pod endpoint cannot write to ${join(folder, 'public')}: `);
});

function publicToken(): string | undefined {
  try {
    return read('public/token');
  } catch {
    return undefined;
  }
}
