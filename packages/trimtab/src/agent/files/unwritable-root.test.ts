import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigRoot } from './config-root.ts';
import { describeWriteError } from './file-errors.ts';
import { composeFiles, type FileSet } from './file-set.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-unwritable-'));
  root = join(folder, 'config');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function setOf(files: Record<string, string>): FileSet {
  const entries = new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));
  const config = {
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    resourceVersion: '7',
  } as const;
  return composeFiles([{ ...config, entries }], { paths: new Map(), subfolders: false, nestedKeys: false })
    .set;
}

function open(): ConfigRoot {
  const files = new ConfigRoot({ root, fileMode: 0o644 });
  files.recover();
  return files;
}

/** What the agent says about the failure. */
function problemOf(work: () => void): string {
  try {
    work();
  } catch (error) {
    return describeWriteError(error, root);
  }
  throw new Error('the work did not fail');
}

const first = setOf({ 'a.conf': 'a1', 'b.conf': 'b1' });
const second = setOf({ 'a.conf': 'a2', 'c.conf': 'c2' });

function expectFirstSet(files: ConfigRoot): void {
  expect(readdirSync(root).filter((name) => !name.startsWith('..'))).toEqual(['a.conf', 'b.conf']);
  expect(readFileSync(join(root, 'a.conf'), 'utf8')).toBe('a1');
  expect(readFileSync(join(root, 'b.conf'), 'utf8')).toBe('b1');
  expect(files.current?.hash).toBe(first.hash);
}

/** Mounts a file system of 64 KiB at the root for the duration of a test. */
function mount(...options: string[]): void {
  mkdirSync(root, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', ['size=64k', ...options].join(','), 'tmpfs', root], {
    stdio: 'ignore',
  });
}

function remount(...options: string[]): void {
  execFileSync('mount', ['-o', ['remount', ...options].join(','), root], { stdio: 'ignore' });
}

const canMount = (() => {
  root = mkdtempSync(join(tmpdir(), 'test-mount-'));
  try {
    mount();
    execFileSync('umount', [root]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
})();

describe.skipIf(!canMount)('a volume of 64 KiB (skipped where a test may not mount one)', () => {
  afterEach(() => execFileSync('umount', [root]));

  test('that is full keeps the set before, and a smaller set fits in', () => {
    mount();
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    const problem = problemOf(() => files.write(setOf({ 'a.conf': 'x'.repeat(100_000), 'c.conf': 'c' })));
    expect(problem).toBe(`cannot write to ${root}: no space is left. Enlarge the volume, or its sizeLimit.`);
    expectFirstSet(files);
    expect(readdirSync(root).filter((name) => name.startsWith('..set-'))).toHaveLength(1);
    files.write(second);
    expect(readFileSync(join(root, 'c.conf'), 'utf8')).toBe('c2');
  });

  test('that is too full for the links of new keys keeps the set before', () => {
    mount('nr_inodes=24');
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    // The files fit in; the links do not.
    const many = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key-${i}`, `${i}`]));
    expect(problemOf(() => files.write(setOf(many)))).toContain('no space is left');
    expectFirstSet(files);
    files.write(second);
    expect(readFileSync(join(root, 'c.conf'), 'utf8')).toBe('c2');
  });

  test('that is read-only keeps the set before, and is found by the next process', () => {
    mount();
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    remount('ro');
    expect(problemOf(() => files.write(second))).toBe(
      `cannot write to ${root}: it is mounted read-only. Mount the volume without readOnly in the container of the agent.`,
    );
    expectFirstSet(files);
    const next = open();
    expectFirstSet(next);
    expect(next.good?.hash).toBe(first.hash);
    expect(problemOf(() => next.write(second))).toContain('it is mounted read-only');
    remount('rw');
    next.write(second);
    expect(readFileSync(join(root, 'a.conf'), 'utf8')).toBe('a2');
  });

  test('that is read-only from the start says so', () => {
    mount('ro');
    expect(problemOf(() => open().write(first))).toContain('it is mounted read-only');
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('a root that is not a folder', () => {
  test('is a file, and stays', () => {
    writeFileSync(root, 'theirs');
    expect(problemOf(() => open())).toBe(
      `cannot write to ${root}: a file is in the place of a folder (EEXIST). Remove it, or choose another --configroot.`,
    );
    expect(problemOf(() => new ConfigRoot({ root, fileMode: 0o644 }).write(first))).toContain('(EEXIST)');
    expect(readFileSync(root, 'utf8')).toBe('theirs');
  });

  test('is below a file', () => {
    writeFileSync(root, 'theirs');
    root = join(root, 'config');
    expect(problemOf(() => open())).toContain('a file is in the place of a folder (ENOTDIR)');
  });
});

describe('a root of another user', () => {
  const nobody = 65_534;

  test.skipIf(process.getuid?.() !== 0)(
    'keeps the set before, and names the user (skipped without root)',
    () => {
      chmodSync(folder, 0o755);
      const files = open();
      files.write(first);
      files.accept({ isTold: true });
      process.seteuid?.(nobody);
      try {
        expect(problemOf(() => files.write(second))).toContain(
          'Set fsGroup of the pod, or run the agent as the owner of the folder.',
        );
        expectFirstSet(files);
      } finally {
        process.seteuid?.(0);
      }
    },
  );
});
