import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Config } from '../source/config.ts';
import { composeFiles, type PathRules } from './file-set.ts';

const plain: PathRules = { paths: new Map(), subfolders: false, nestedKeys: false };

function config(name: string, data: Record<string, string>, rest: Partial<Config> = {}): Config {
  const entries = new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text)]));
  return { kind: 'ConfigMap', namespace: 'shop', name, uid: 'u', resourceVersion: '7', entries, ...rest };
}

/** The files as text, with the warnings and problems. */
function compose(configs: Config[], rules: Partial<PathRules> = {}) {
  const { set, warnings, problems } = composeFiles(configs, { ...plain, ...rules });
  const files = Object.fromEntries([...set.files].map(([path, content]) => [path, content.toString()]));
  return { files, warnings, problems, hash: set.hash, sources: set.sources };
}

describe('the keys of configs become files', () => {
  test('with the name of the key', () => {
    expect(compose([config('web', { 'nginx.conf': 'a', 'mime.types': 'b' })])).toMatchObject({
      files: { 'nginx.conf': 'a', 'mime.types': 'b' },
      warnings: [],
      problems: [],
      sources: [{ kind: 'ConfigMap', namespace: 'shop', name: 'web', resourceVersion: '7' }],
    });
  });

  test('at the path of --path', () => {
    const paths = new Map([['site', 'conf.d/site.conf']]);
    expect(compose([config('web', { site: 'a', other: 'b' })], { paths })).toMatchObject({
      files: { 'conf.d/site.conf': 'a', other: 'b' },
      warnings: [],
    });
  });

  test('in one folder for each config with --subfolders, also those with a path', () => {
    const paths = new Map([['site', 'conf.d/site.conf']]);
    const configs = [config('web', { site: 'a' }), config('api', { key: 'b' })];
    expect(compose(configs, { paths, subfolders: true }).files).toEqual({
      'web/conf.d/site.conf': 'a',
      'api/key': 'b',
    });
  });

  test('in nested folders with --nested-keys', () => {
    const web = config('web', { 'conf.d__sites__a.conf': 'a', single_underscore: 'b' });
    expect(compose([web], { nestedKeys: true }).files).toEqual({
      'conf.d/sites/a.conf': 'a',
      single_underscore: 'b',
    });
    expect(compose([web]).files).toHaveProperty('conf.d__sites__a.conf');
  });

  test('and two underscores of a --path stay as they are', () => {
    const rules = { paths: new Map([['site', 'a__b']]), nestedKeys: true };
    expect(compose([config('web', { site: 'a' })], rules).files).toEqual({ a__b: 'a' });
  });

  test('and names that JavaScript objects have by themselves are files as well', () => {
    const entries = new Map(['__proto__', 'constructor'].map((key) => [key, Buffer.from(key)]));
    const { set } = composeFiles([config('web', {}, { entries })], plain);
    expect([...set.files.keys()]).toEqual(['__proto__', 'constructor']);
  });

  test('and a config without keys is an empty set', () => {
    expect(compose([config('web', {})])).toMatchObject({ files: {}, warnings: [], problems: [] });
  });
});

describe('of two configs with the same file', () => {
  test('the later one wins, and a warning says so', () => {
    const secret = config('web', { a: 'new' }, { kind: 'Secret' });
    expect(compose([config('web', { a: 'old', b: 'b' }), secret])).toMatchObject({
      files: { a: 'new', b: 'b' },
      warnings: [
        "key 'a' of secret shop/web replaces key 'a' of configmap shop/web: both are written to 'a'",
      ],
      problems: [],
    });
  });

  test('of different namespaces, --subfolders does not keep them apart', () => {
    const configs = [config('web', { a: '1' }), config('web', { a: '2' }, { namespace: 'other' })];
    expect(compose(configs, { subfolders: true })).toMatchObject({
      files: { 'web/a': '2' },
      warnings: [expect.stringContaining("both are written to 'web/a'")],
    });
  });

  test('the later one also wins by its --path', () => {
    const paths = new Map([['b', 'a']]);
    expect(compose([config('web', { a: '1' }), config('api', { b: '2' })], { paths }).files).toEqual({
      a: '2',
    });
  });
});

describe('a set is not written', () => {
  test.each([
    ['..__..__etc__passwd', "the path '../../etc/passwd' contains '..'; files are only written below"],
    ['__etc__passwd', "the path '/etc/passwd' is absolute"],
    ['a____b', "the path 'a//b' has an empty name"],
    ['..__data', "the path '../data' contains '..'"],
  ])('with the nested key %s', (key, problem) => {
    const { files, problems } = compose([config('web', { [key]: 'x', good: 'y' })], { nestedKeys: true });
    expect(problems).toEqual([expect.stringContaining(`key '${key}' of configmap shop/web: ${problem}`)]);
    expect(files).toEqual({ good: 'y' });
  });

  test('with a key that is reserved for the agent', () => {
    expect(compose([config('web', { '..data': 'x' })]).problems).toEqual([
      "key '..data' of configmap shop/web: the path '..data' begins with '..', which is reserved for the agent",
    ]);
  });

  test('when a name is a file and a folder, at any depth', () => {
    const rules = { nestedKeys: true };
    expect(compose([config('web', { a: '1', a__b__c: '2' })], rules).problems).toEqual([
      "key 'a__b__c' of configmap shop/web needs the folder 'a', which key 'a' of configmap shop/web writes as a file",
    ]);
    expect(compose([config('web', { a__b__c: '1' }), config('api', { a__b: '2' })], rules).problems).toEqual([
      "key 'a__b__c' of configmap shop/web needs the folder 'a/b', which key 'a__b' of configmap shop/api writes as a file",
    ]);
  });

  test('and every problem of all keys is named at once', () => {
    const configs = [config('web', { '..a': '1' }), config('api', { '..b': '2' })];
    expect(compose(configs).problems).toHaveLength(2);
  });
});

test('a --path for a key that no config has is a warning', () => {
  const paths = new Map([['sit', 'conf.d/site.conf']]);
  expect(compose([config('web', { site: 'a' })], { paths }).warnings).toEqual([
    "--path sit=conf.d/site.conf: no config has the key 'sit'",
  ]);
});

test('the resourceVersion does not change the hash of a set, and neither does the order of its keys', () => {
  const before = compose([config('web', { a: '1', b: '2' })]);
  const after = compose([config('web', { b: '2', a: '1' }, { resourceVersion: '8', uid: 'v' })]);
  expect(after.hash).toBe(before.hash);
  expect(after.sources[0]?.resourceVersion).toBe('8');
});

const anyText = fc.string({ unit: fc.constantFrom('.', '..', '/', '_', '__', 'a', '\n', ' '), maxLength: 8 });
const anyFiles = fc.dictionary(anyText, fc.string({ maxLength: 3 }), { maxKeys: 4, noNullPrototype: true });

test('no file of a set is outside of the root, or in the place of a file of the agent', () => {
  const rules = fc.record({
    paths: fc.array(fc.tuple(anyText, anyText), { maxLength: 3 }).map((pairs) => new Map(pairs)),
    subfolders: fc.boolean(),
    nestedKeys: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(anyFiles, { maxLength: 3 }), rules, anyText, (all, pathRules, name) => {
      const { set } = composeFiles(
        all.map((data) => config(name, data)),
        pathRules,
      );
      for (const path of set.files.keys()) {
        expect(resolve('/root', path)).toBe(`/root/${path}`);
        expect(path.startsWith('..')).toBe(false);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('two sets have the same hash only if they have the same files', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '1', ' ', '\n'), minLength: 1, maxLength: 6 });
  const data = fc.dictionary(text, text, { maxKeys: 3, noNullPrototype: true });
  fc.assert(
    fc.property(data, data, (one, other) => {
      const a = compose([config('web', one)]);
      const b = compose([config('web', other)]);
      expect(a.hash === b.hash).toBe(
        JSON.stringify(Object.entries(a.files).sort()) === JSON.stringify(Object.entries(b.files).sort()),
      );
    }),
    { numRuns: 2_000 },
  );
});
