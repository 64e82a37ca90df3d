import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FileSet } from './file-set.ts';
import { manifestName, manifestOf, readStoredSet } from './stored-set.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-stored-set-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const set: FileSet = {
  files: new Map([
    ['a.conf', Buffer.from('a')],
    ['conf.d/b.conf', Buffer.from([0, 255, 10])],
    ['__proto__', Buffer.alloc(0)],
  ]),
  hash: 'the hash',
  sources: [{ kind: 'ConfigMap', namespace: 'shop', name: 'web', resourceVersion: '7' }],
};
const manifest = manifestOf(set);

function store(): void {
  for (const [path, content] of set.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  writeFileSync(join(folder, manifestName), JSON.stringify(manifest));
}

describe('a set on disk', () => {
  beforeEach(store);

  test('is read back with its sources', () => {
    expect(readStoredSet(folder)).toEqual(manifest);
    expect(Object.keys(manifest.files)).toContain('__proto__');
  });

  test('contains sums of the files, and not their content', () => {
    expect(manifest.files['a.conf']).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each([...set.files.keys()])('is not used without its file %s', (path) => {
    rmSync(join(folder, path));
    expect(readStoredSet(folder)).toBeUndefined();
  });

  test('is not used with an empty file in the place of one with content', () => {
    truncateSync(join(folder, 'conf.d/b.conf'), 0);
    expect(readStoredSet(folder)).toBeUndefined();
  });

  test('is not used with a file that has grown', () => {
    appendFileSync(join(folder, '__proto__'), 'x');
    expect(readStoredSet(folder)).toBeUndefined();
  });

  test('is not used with a file too many', () => {
    writeFileSync(join(folder, 'conf.d', 'c.conf'), '');
    expect(readStoredSet(folder)).toBeUndefined();
  });

  test.each(['', '{', 'null', '[]', '{}', '{"hash":"h","sources":[],"files":null}', '{"hash":1}'])(
    'is not used with the manifest %s',
    (text) => {
      writeFileSync(join(folder, manifestName), text);
      expect(readStoredSet(folder)).toBeUndefined();
    },
  );
});

test('a folder without a manifest, or no folder, is no set', () => {
  expect(readStoredSet(folder)).toBeUndefined();
  expect(readStoredSet(join(folder, 'none'))).toBeUndefined();
});
