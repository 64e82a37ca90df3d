import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runProgram } from './support/run-program.ts';

/** bin/configMapVersion.js alone: copied into an empty folder, where nothing is installed. */
const script = resolve(import.meta.dirname, '../../../../bin/configMapVersion.js');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-map-version-'));
  copyFileSync(script, join(folder, 'configMapVersion.js'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const save = (name: string, text: string) => writeFileSync(join(folder, name), text);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

function run(args: string[], stdin = '') {
  return runProgram([process.execPath, ['configMapVersion.js', ...args]], { cwd: folder, stdin });
}

const deployment = '- name: configMapVersion\n  value: "12"\n';

// Node.js reads the file as CommonJS or as an ES module, depending on the package.json beside it.
test.each([undefined, 'commonjs', 'module'])('works in a package of the type %s', async (type) => {
  if (type !== undefined) save('package.json', JSON.stringify({ type }));
  save('deployment.yaml', deployment);
  save('app.env', 'configMapVersion=99999999999\n');
  const { code, stdout, stderr } = await run(['deployment.yaml', 'app.env']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(
    /^deployment\.yaml: configMapVersion 12 -> \d{10}\napp\.env: configMapVersion 99999999999 -> 100000000000\n$/,
  );
  expect(read('deployment.yaml')).toMatch(/^- name: configMapVersion\n {2}value: "\d{10}"\n$/);
  expect(read('app.env')).toBe('configMapVersion=100000000000\n');
});

test('reads standard input', async () => {
  expect(await run(['-'], 'configMapVersion: 99999999999')).toMatchObject({
    ...{ code: 0, stdout: 'configMapVersion: 100000000000' },
  });
});

test('sets another key', async () => {
  save('a.env', 'A=99999999999\nconfigMapVersion=1\n');
  expect((await run(['--key', 'A', 'a.env'])).code).toBe(0);
  expect(read('a.env')).toBe('A=100000000000\nconfigMapVersion=1\n');
});

test('changes no file when one has a problem', async () => {
  save('deployment.yaml', deployment);
  save('x.yaml', 'configMapVersion: v1\n');
  const { code, stderr } = await run(['deployment.yaml', 'x.yaml', 'nope.yaml']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: x\.yaml:1: the value .*\nerror: nope\.yaml: cannot be read: ENOENT\n$/);
  expect(read('deployment.yaml')).toBe(deployment);
  expect(readdirSync(folder).sort()).toEqual(['configMapVersion.js', 'deployment.yaml', 'x.yaml']);
});

describe('explains its use', () => {
  test('with --help', async () => {
    const { code, stdout } = await run(['--help']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Usage: node /) });
  });

  test.each<[args: string[]]>([[[]], [['--hash-of', 'x', 'y']], [['--key=', 'x']]])(
    'when the arguments are wrong: %j',
    async (args) => {
      const { code, stderr } = await run(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^error: .+\n\nUsage: node /);
    },
  );
});
