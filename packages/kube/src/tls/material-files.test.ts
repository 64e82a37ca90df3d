import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { type CertificateAndKey, createAuthority, issue } from './authority.ts';
import { needsRenewal } from './material.ts';
import { openMaterialFiles } from './material-files.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const authority = createAuthority({ commonName: 'ca', now: start, validForMs: 1000 * hour });
const certificate = (name: string, now = start) =>
  issue(authority, { commonName: name, usages: ['server'], now, validForMs: 3 * hour });

describe('certificate files are rotated under a running program', () => {
  let folder: string;
  let clock: ManualClock;
  const files = () => ({ certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') });
  /** Replaces the file atomically, as the kubelet does. */
  const replace = async (file: string, text: string) => {
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  };
  const write = async (pair: CertificateAndKey) => {
    await replace(files().certificate, pair.certificate);
    await replace(files().key, pair.key);
  };
  const open = (log = silentLogger) => openMaterialFiles({ files: files(), clock, log, intervalMs: 1000 });

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'test-tls-'));
    clock = new ManualClock(start);
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('new files are picked up, each once', async () => {
    const [first, second] = [certificate('one'), certificate('two')];
    await write(first);
    const material = await open();
    const seen: string[] = [];
    material.onChange((next) => seen.push(next.certificate));
    expect(material.current()).toEqual(first);
    await write(second);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(material.current()).toEqual(second);
    });
    await clock.advance(5000);
    expect(seen).toEqual([second.certificate]);
    material.close();
    await vi.waitFor(() => expect(clock.pending).toBe(0));
  });

  test('half-replaced or broken files leave the last good set in place', async () => {
    const [first, second] = [certificate('one'), certificate('two')];
    // A separate logger, because other code logs to the shared one.
    const log = silentLogger.child({});
    const warn = vi.spyOn(log, 'warn');
    await write(first);
    const material = await open(log);
    await replace(files().certificate, second.certificate);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(warn).toHaveBeenCalledOnce();
    });
    expect(material.current()).toEqual(first);
    await replace(files().key, second.key);
    await vi.waitFor(async () => {
      await clock.advance(1000);
      expect(material.current()).toEqual(second);
    });
    expect(warn).toHaveBeenCalledOnce();
    material.close();
  });

  test('a program does not start with files that cannot work; the message names them and never shows a key', async () => {
    const [one, two] = [certificate('one'), certificate('two')];
    const failure = async () => {
      const error = await open().then(
        () => undefined,
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ name: 'OperationalError', code: 'TlsMaterialUnusable' });
      return String(error);
    };
    expect(await failure()).toContain(`${files().certificate} cannot be read (ENOENT)`);
    await write({ certificate: one.certificate, key: two.key });
    expect(await failure()).toContain(`the key in ${files().key} does not match`);
    await write({ certificate: 'garbage', key: one.key });
    expect(await failure()).toContain(`${files().certificate} contains no PEM certificate`);
    await write({ certificate: one.certificate, key: one.key.replace(/[a-z]{4}/, 'AAAA').slice(0, 100) });
    expect(await failure()).toMatch(/\S+tls\.key contains no unencrypted PEM private key\. /);
    await write(one);
    await clock.advance(3 * hour);
    expect(await failure()).toContain(`the certificate in ${files().certificate} expired at`);
  });
});

test('a certificate is renewed at two thirds of its life', () => {
  const { certificate: pem } = certificate('one');
  // The certificate is backdated by five minutes, so two thirds of its lifetime end shortly before two hours.
  expect(needsRenewal(pem, start + 1.9 * hour)).toBe(false);
  expect(needsRenewal(pem, start + 2 * hour)).toBe(true);
  expect(needsRenewal(pem, start + 9 * hour)).toBe(true);
});
