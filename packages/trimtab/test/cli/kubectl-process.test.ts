import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trimtabCommand } from '../support/trimtab-command.ts';

/** How `trimtab kubectl` runs another program, in processes with a script in place of kubectl. */

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'trimtab-kubectl-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  stdout: string;
  stderr: string;
  code: number | null;
}

function script(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return file;
}

/** `onOutput` is called for each part of the output of the program. */
function start(
  env: Record<string, string>,
  args: string[],
  onOutput: (child: ChildProcessWithoutNullStreams, text: string) => void = () => {},
): Promise<Ended> {
  const [file, words] = trimtabCommand(['kubectl', ...args]);
  const child = spawn(file, words, { env: { PATH: process.env['PATH'] ?? '', ...env } });
  const ended: Ended = { stdout: '', stderr: '', code: null };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    ended.stdout += text;
    onOutput(child, text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    ended.stderr += text;
  });
  child.stdin.end('typed\n');
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ ...ended, code }));
  });
}

describe('the program', () => {
  test('gets the arguments, the environment and the standard input', async () => {
    const KUBECTL = script(
      'arguments',
      'for word in "$@"; do echo "[$word]"; done; echo "$COLOR"; cat; echo no >&2; exit 5',
    );
    expect(await start({ KUBECTL, COLOR: 'blue' }, ['get', 'two words', '--', '-x', ''])).toEqual({
      stdout: '[get]\n[two words]\n[--]\n[-x]\n[]\nblue\ntyped\n',
      stderr: 'no\n',
      code: 5,
    });
  });

  test('is found on the PATH', async () => {
    script('kubectl', 'echo "$1"');
    const found = await start({ PATH: `${folder}:${process.env['PATH']}` }, ['version']);
    expect(found).toEqual({ stdout: 'version\n', stderr: '', code: 0 });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('gets %s, and decides what to do', async (signal) => {
    const name = signal.slice(3);
    const KUBECTL = script(
      name,
      `trap 'echo got ${name}; exit 7' ${name}; echo ready; while :; do sleep 0.05; done`,
    );
    const ended = await start({ KUBECTL }, ['logs', '-f'], (child, text) => {
      if (text.includes('ready')) child.kill(signal);
    });
    expect(ended).toEqual({ stdout: `ready\ngot ${name}\n`, stderr: '', code: 7 });
  });

  test('that a signal ends has the exit code of a shell', async () => {
    const KUBECTL = script('killed', 'kill -KILL $$');
    expect((await start({ KUBECTL }, ['get'])).code).toBe(137);
  });
});

describe('without kubectl', () => {
  test('the error says what to do', async () => {
    const missing = path.join(folder, 'missing');
    expect(await start({ KUBECTL: missing }, ['get', 'pods'])).toEqual({
      stdout: '',
      stderr: `error: ${missing} was not found\nhint: install kubectl on the PATH, or set KUBECTL to its path\n`,
      code: 1,
    });
  });

  test('a script that runs `trimtab kubectl` again does not run for ever', async () => {
    const [file, words] = trimtabCommand(['kubectl']);
    const command = [file, ...words].map((word) => `'${word}'`).join(' ');
    const KUBECTL = script('again', `exec ${command} "$@"`);
    expect(await start({ KUBECTL }, ['get', 'pods'])).toEqual({
      stdout: '',
      stderr:
        'error: the kubectl on the PATH runs `trimtab kubectl` again\nhint: set KUBECTL to the path of kubectl itself\n',
      code: 1,
    });
  });
});
