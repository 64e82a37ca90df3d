import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { execPlugin, execSpec } from './exec-plugin.ts';

const apiVersion = 'client.authentication.k8s.io/v1';
const cluster = { name: 'one', server: 'https://one.example', skipTLSVerify: false, caData: 'Q0E=' };

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-exec-'));
});

afterEach(() => rm(folder, { recursive: true }));

/** Creates a plugin from a shell script, and counts its runs. */
async function plugin(script: string, exec: object = {}) {
  const command = join(folder, 'plugin');
  const runs = join(folder, 'runs');
  await writeFile(command, `#!/bin/sh\necho run >> ${runs}\n${script}\n`);
  await chmod(command, 0o755);
  const clock = new ManualClock();
  const spec = execSpec({ apiVersion, command, ...exec }, 'me');
  const source = execPlugin({ spec, cluster, clock, timeoutMs: 1_000 });
  const count = async () => (await readFile(runs, 'utf8')).split('\n').length - 1;
  return { source, clock, count, command };
}

const prints = (status: object) =>
  `cat <<'END'\n${JSON.stringify({ apiVersion, kind: 'ExecCredential', status })}\nEND`;

describe('a plugin', () => {
  test('gives a token, and is asked once by many requests', async () => {
    const { source, count } = await plugin(prints({ token: 'abc' }));
    const all = await Promise.all(Array.from({ length: 10 }, () => source.current()));
    expect(all.map(({ headers }) => headers['authorization'])).toEqual(Array(10).fill('Bearer abc'));
    await source.current();
    expect(await count()).toBe(1);
  });

  test('is asked again when its token has ended, or was refused', async () => {
    const ends = new Date(new ManualClock().now() + 60_000).toISOString();
    const { source, clock, count } = await plugin(prints({ token: 'abc', expirationTimestamp: ends }));
    await source.current();
    await clock.advance(59_000);
    await source.current();
    expect(await count()).toBe(1);
    source.invalidate();
    await source.current();
    expect(await count()).toBe(2);
    await clock.advance(1_000);
    await source.current();
    expect(await count()).toBe(3);
  });

  test('may give a client certificate', async () => {
    const { source } = await plugin(prints({ clientCertificateData: 'CERT', clientKeyData: 'KEY' }));
    expect(await source.current()).toEqual({ headers: {}, certificate: { cert: 'CERT', key: 'KEY' } });
  });

  test('gets its arguments, its environment and what the protocol tells it', async () => {
    const out = join(folder, 'out');
    const { source } = await plugin(
      `printf '%s|%s|%s' "$1" "$CLOUD" "$KUBERNETES_EXEC_INFO" > ${out}; ${prints({ token: 'abc' })}`,
      { args: ['get-token'], env: [{ name: 'CLOUD', value: 'seven' }], provideClusterInfo: true },
    );
    await source.current();
    const [argument, cloud, info] = (await readFile(out, 'utf8')).split('|');
    expect([argument, cloud]).toEqual(['get-token', 'seven']);
    expect(JSON.parse(info ?? '')).toEqual({
      apiVersion,
      kind: 'ExecCredential',
      spec: {
        interactive: false,
        cluster: { server: 'https://one.example', 'certificate-authority-data': 'Q0E=' },
      },
    });
  });
});

describe('a plugin that gives nothing usable is named, with its own words', () => {
  test.each([
    ['fails', 'echo "please log in first" >&2; exit 3', / exited with code 3: please log in first$/],
    ['fails silently', 'exit 1', / exited with code 1 and printed nothing to standard error\.$/],
    ['is killed', 'kill -TERM $$', / was terminated by SIGTERM and printed nothing to standard error\.$/],
    [
      'prints no JSON',
      'echo "token: s3cret"; echo "old version" >&2',
      /did not print an ExecCredential .*: old version$/,
    ],
    ['prints something else', `echo '{"kind":"Secret","token":"s3cret"}'`, /did not print an ExecCredential/],
    ['prints no token', prints({}), /with a token or a client certificate and printed nothing/],
    ['prints for ever', 'yes s3cret', /printed more than 1048576 bytes/],
  ])('%s', async (_case, script, message) => {
    const { source } = await plugin(script);
    const error: unknown = await source.current().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'CredentialsUnavailable', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain('s3cret');
  });

  test('never ends', async () => {
    const { source, clock, count } = await plugin('echo "waiting for a browser" >&2; exec sleep 600');
    const outcome = expect(source.current()).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      message: expect.stringMatching(/ did not finish within 1 s/),
    });
    await expect.poll(count).toBe(1);
    await clock.advance(1_000);
    await outcome;
  });

  test('is not installed', async () => {
    const spec = execSpec(
      { apiVersion, command: 'no-such-plugin-anywhere', installHint: 'Get it from the cloud.' },
      'me',
    );
    await expect(execPlugin({ spec, cluster }).current()).rejects.toMatchObject({
      code: 'CredentialsUnavailable',
      message:
        "The credential plugin 'no-such-plugin-anywhere' cannot be started (ENOENT). Get it from the cloud.",
    });
  });

  test('and works later, is asked again', async () => {
    const { source, command } = await plugin('exit 1');
    await expect(source.current()).rejects.toThrow();
    await writeFile(command, `#!/bin/sh\n${prints({ token: 'abc' })}\n`);
    expect((await source.current()).headers).toEqual({ authorization: 'Bearer abc' });
  });
});
