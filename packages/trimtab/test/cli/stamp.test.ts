import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { trimtabCommand } from '../support/trimtab-command.ts';
import { runProgram } from './support/run-program.ts';

const deployment = `kind: Deployment
spec:
  template:
    metadata:
      annotations:
        checksum/config: ""
    spec:
      containers:
      - name: web
        env:
        - name: configMapVersion # stamped
          value: "12"
`;
const config = 'kind: ConfigMap\nmetadata: {name: web}\ndata:\n  colour: blue\n';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-stamp-'));
  save('deployment.yaml', deployment);
  save('configmap.yaml', config);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const save = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), 'latin1');

function stamp(args: string[], stdin?: string) {
  return runProgram(trimtabCommand(['stamp', ...args]), {
    cwd: folder,
    ...(stdin !== undefined && { stdin }),
  });
}

/** The only number of the Deployment. */
function versionIn(text: string): number {
  return Number(/value: "(\d+)"/.exec(text)?.[1]);
}

test('a Deployment gets a new number, and nothing else of it changes', async () => {
  const began = Math.floor(Date.now() / 1000);
  const { code, stdout, stderr } = await stamp(['-f', 'deployment.yaml']);
  const version = versionIn(read('deployment.yaml'));
  expect({ code, stdout, stderr }).toEqual({
    ...{ code: 0, stderr: '', stdout: `deployment.yaml: configMapVersion 12 -> ${version}\n` },
  });
  expect(version).toBeGreaterThanOrEqual(began);
  expect(read('deployment.yaml')).toBe(deployment.replace('"12"', `"${version}"`));
  await stamp(['-f', 'deployment.yaml']);
  expect(versionIn(read('deployment.yaml'))).toBeGreaterThan(version);
});

test('bytes that are not UTF-8, the mode and symbolic links stay; no other file is left', async () => {
  mkdirSync(join(folder, 'real'));
  save('real/app.env', Buffer.from('a=\xe9\xff\r\nconfigMapVersion=7\r\nb=\xe9', 'latin1'));
  chmodSync(join(folder, 'real/app.env'), 0o751);
  symlinkSync('real/app.env', join(folder, 'app.env'));
  const { code } = await stamp(['-f', 'app.env', '-f', './real/app.env']);
  expect(code).toBe(0);
  expect(read('app.env')).toMatch(/^a=\xe9\xff\r\nconfigMapVersion=\d{10}\r\nb=\xe9$/);
  expect(readlinkSync(join(folder, 'app.env'))).toBe('real/app.env');
  expect(statSync(join(folder, 'app.env')).mode & 0o7777).toBe(0o751);
  expect(readdirSync(join(folder, 'real'))).toEqual(['app.env']);
});

test('standard input is written to standard output', async () => {
  const { code, stdout, stderr } = await stamp(['-f', '-'], 'a=\xe9\r\nconfigMapVersion=99999999999\r\n');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'a=\xe9\r\nconfigMapVersion=100000000000\r\n' });
  expect(stderr).toBe('standard input: configMapVersion 99999999999 -> 100000000000\n');
});

test('another key, and a dry run', async () => {
  save('a.env', 'CONFIG=1\nconfigMapVersion=2\n');
  const { code, stdout } = await stamp(['-f', 'a.env', '--key', 'CONFIG', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^a\.env: CONFIG 1 -> \d{10} \(dry run\)\n$/);
  expect(read('a.env')).toBe('CONFIG=1\nconfigMapVersion=2\n');
});

describe('when one file has a problem, no file is changed', () => {
  test.each<[what: string, name: string, content: string | Buffer | undefined, message: string]>([
    ['is missing', 'x.yaml', undefined, 'x.yaml: cannot be read: ENOENT'],
    ['is a folder', '.', undefined, '.: is not a regular file'],
    ['is binary', 'x.yaml', Buffer.from([65, 0, 66]), 'x.yaml: is not a text file: it contains NUL bytes'],
    [
      'has no key',
      'x.yaml',
      'a: 1\n',
      'x.yaml: key configMapVersion not found: add the key with the value 0',
    ],
    [
      'has a value that is no number',
      'x.yaml',
      'a: 1\nconfigMapVersion: v7\n',
      'x.yaml:2: the value of configMapVersion is not a whole number: set it to 0',
    ],
  ])('the file %s', async (_, name, content, message) => {
    if (content !== undefined) save(name, content);
    const { code, stdout, stderr } = await stamp(['-f', 'deployment.yaml', '-f', name]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: ${message}`);
    expect(read('deployment.yaml')).toBe(deployment);
  });
});

describe('with --hash-of', () => {
  const byHash = ['-f', 'deployment.yaml', '--hash-of', 'configmap.yaml'];

  test('the number increases only when the config changed, and --check tells', async () => {
    save('deployment.yaml', `${deployment}        - {name: configMapHash, value: ""}\n`);
    expect(await stamp([...byHash, '--check'])).toMatchObject({
      code: 1,
      stderr: 'error: deployment.yaml: is not up to date: run the command without --check\n',
    });
    expect((await stamp(byHash)).code).toBe(0);
    const first = read('deployment.yaml');
    expect(versionIn(first)).toBeGreaterThan(12);
    save('configmap.yaml', `# the colour of the shop\n${config}`);
    expect(await stamp(byHash)).toMatchObject({
      code: 0,
      stdout: `deployment.yaml: configMapVersion ${versionIn(first)} is up to date\n`,
    });
    expect((await stamp([...byHash, '--check'])).code).toBe(0);
    expect(read('deployment.yaml')).toBe(first);
    save('configmap.yaml', config.replace('blue', 'green'));
    expect((await stamp([...byHash, '--check'])).code).toBe(1);
    expect(read('deployment.yaml')).toBe(first);
    expect((await stamp(byHash)).code).toBe(0);
    expect(versionIn(read('deployment.yaml'))).toBeGreaterThan(versionIn(first));
  });

  test('a file without a place for the hash is refused', async () => {
    expect(await stamp(byHash)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'deployment.yaml: key configMapHash not found: add the key with the value ""',
      ),
    });
  });

  test('an annotation gets the hash, as with Helm', async () => {
    const args = [...byHash, '--annotation', 'checksum/config'];
    expect((await stamp([...args, '--check'])).code).toBe(1);
    expect((await stamp(args)).code).toBe(0);
    const [, hash] = /checksum\/config: "([0-9a-f]{64})"/.exec(read('deployment.yaml')) ?? [];
    expect(read('deployment.yaml')).toBe(deployment.replace('config: ""', `config: "${hash}"`));
    expect((await stamp([...args, '--check'])).code).toBe(0);
  });

  test.each([
    ['a number', ['--hash-key', 'checksum/config']],
    ['an annotation', ['--annotation', 'checksum/config']],
    ['--check', ['--annotation', 'checksum/config', '--check']],
  ])('a hash of a Secret is refused without --allow-secret-hash: %s', async (_, more) => {
    save('secret.yaml', 'kind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2}\n');
    const args = [
      '-f',
      'deployment.yaml',
      '--hash-of',
      'configmap.yaml',
      '--hash-of',
      'secret.yaml',
      ...more,
    ];
    const { code, stdout, stderr } = await stamp(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: --hash-of secret\.yaml: the file has a Secret.*--allow-secret-hash/);
    expect(read('deployment.yaml')).toBe(deployment);
  });

  test('a hash of a Secret is written with --allow-secret-hash', async () => {
    save('secret.yaml', 'kind: Secret\nmetadata: {name: db}\nstringData: {password: hunter2}\n');
    const args = ['-f', 'deployment.yaml', '--annotation', 'checksum/config', '--hash-of', 'secret.yaml'];
    expect(await stamp([...args, '--allow-secret-hash'])).toMatchObject({ code: 0, stderr: '' });
    expect(read('deployment.yaml')).toMatch(/checksum\/config: "[0-9a-f]{64}"/);
  });

  test('a config that cannot be read is an error', async () => {
    expect(await stamp(['-f', 'deployment.yaml', '--hash-of', 'nope.yaml'])).toMatchObject({
      code: 1,
      stderr: 'error: --hash-of nope.yaml cannot be read: ENOENT\n',
    });
  });
});

test('--check without a hash finds the key, or fails', async () => {
  expect(await stamp(['-f', 'deployment.yaml', '--check'])).toMatchObject({
    ...{ code: 0, stdout: 'deployment.yaml: configMapVersion 12\n' },
  });
  expect((await stamp(['-f', 'configmap.yaml', '--check'])).code).toBe(1);
  expect(read('deployment.yaml')).toBe(deployment);
});

test.each<[args: string[], problem: string]>([
  [[], '--filename is required'],
  [['-f', 'a', '--annotation', 'b'], '--annotation requires --hash-of'],
  [['-f', 'a', '--hash-key', 'b'], '--hash-key requires --hash-of'],
  [['-f', 'a', '--allow-secret-hash'], '--allow-secret-hash requires --hash-of'],
  [['-f', 'a', '--check', '--dry-run'], '--check and --dry-run exclude each other'],
  [['-f', '-', '--hash-of', '-'], '--filename and --hash-of cannot both be standard input'],
])('%j is a usage error', async (args, problem) => {
  const { code, stderr } = await stamp(args);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
});
