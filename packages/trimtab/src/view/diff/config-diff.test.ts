import { describe, expect, test } from 'vitest';
import { configDiff, diffLimits } from './config-diff.ts';
import { jsonDiff, renderDiff } from './render-diff.ts';

const sides = { from: 'foo/1.0.0', to: 'foo/1.0.1' };

function configMap(data: Record<string, string>, binaryData: Record<string, string> = {}) {
  return { kind: 'ConfigMap', metadata: {}, data, binaryData };
}

function secret(values: Record<string, string | Buffer>) {
  const data = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value as string).toString('base64')]),
  );
  return { kind: 'Secret', metadata: {}, data };
}

test('texts are compared line by line, and keys that come or go are whole', () => {
  const diff = configDiff(
    configMap({ a: 'one\ntwo\n', old: 'x\n' }),
    configMap({ a: 'one\n2\n', new: 'y' }),
    false,
  );
  expect(renderDiff(diff, sides)).toBe(`--- foo/1.0.0/data/old
+++ /dev/null
@@ -1,1 +0,0 @@
-x
--- foo/1.0.0/data/a
+++ foo/1.0.1/data/a
@@ -1,2 +1,2 @@
 one
-two
+2
--- /dev/null
+++ foo/1.0.1/data/new
@@ -0,0 +1,1 @@
+y
`);
  expect(jsonDiff(diff)).toEqual({
    added: [{ field: 'data', key: 'new', to: { text: 'y' } }],
    removed: [{ field: 'data', key: 'old', from: { text: 'x\n' } }],
    changed: [{ field: 'data', key: 'a', diff: '@@ -1,2 +1,2 @@\n one\n-two\n+2\n' }],
  });
});

test('bytes are told by size and hash', () => {
  const diff = configDiff(configMap({}, { logo: 'AAEC' }), configMap({}, { logo: 'AAECAw==' }), false);
  expect(renderDiff(diff, sides)).toMatch(
    /^Values foo\/1.0.0\/binaryData\/logo \(3 bytes, sha256:ae4b3280e56e\) and foo\/1.0.1\/binaryData\/logo \(4 bytes, sha256:[0-9a-f]{12}\) differ\n$/,
  );
});

test('of a Secret only the keys are told, unless somebody asks for its values', () => {
  const a = secret({ password: 'hunter2', user: 'alice', gone: 'secret-a' });
  const b = secret({ password: 'hunter3', user: 'alice', come: 'secret-b' });
  const masked = configDiff(a, b, false);
  expect(renderDiff(masked, sides)).toBe(
    'Only in foo/1.0.0/data/gone\nValues foo/1.0.0/data/password and foo/1.0.1/data/password differ\nOnly in foo/1.0.1/data/come\n',
  );
  const told = JSON.stringify([masked, jsonDiff(masked)]);
  for (const value of ['hunter2', 'hunter3', 'secret-a', 'secret-b'])
    for (const form of [value, Buffer.from(value).toString('base64')]) expect(told).not.toContain(form);
  expect(renderDiff(configDiff(a, b, true), sides)).toContain('-hunter2\n+hunter3\n');
});

test('a final newline is shown only where it is a difference', () => {
  const rendered = (from: string, to: string) =>
    renderDiff(configDiff(configMap({ a: from }), configMap({ a: to }), false), sides);
  expect(rendered('blue', 'green')).toContain('@@ -1,1 +1,1 @@\n-blue\n+green\n');
  expect(rendered('', 'green')).toContain('@@ -0,0 +1,1 @@\n+green\n');
  expect(rendered('blue', 'blue\n')).toContain('-blue\n\\ No newline at end of file\n+blue\n');
});

test('a Secret that is not text is told by size and hash, even when asked for', () => {
  const diff = configDiff(secret({ key: Buffer.from([0, 1]) }), secret({ key: 'text' }), true);
  expect(renderDiff(diff, sides)).toMatch(/\(2 bytes, sha256:[0-9a-f]{12}\) and .* \(text\) differ/);
});

test('the values of one config share one budget: what comes after it is spent is replaced as a whole', () => {
  const lines = (name: string) => Array.from({ length: 600 }, (_, index) => `${name}${index}\n`).join('');
  const rewritten = (name: string) =>
    Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`m${index}`, lines(name)]));
  const diff = configDiff(
    configMap({ a: '1\nsame\n2\n', ...rewritten('old'), z: '1\nsame\n2\n' }),
    configMap({ a: 'one\nsame\ntwo\n', ...rewritten('new'), z: 'one\nsame\ntwo\n' }),
    false,
  );
  const text = renderDiff(diff, sides);
  expect(text).toContain('+++ foo/1.0.1/data/a\n@@ -1,3 +1,3 @@\n-1\n+one\n same\n-2\n+two\n');
  expect(text).toContain('+++ foo/1.0.1/data/z\n@@ -1,3 +1,3 @@\n-1\n-same\n-2\n+one\n+same\n+two\n');
  expect(JSON.stringify(jsonDiff(diff))).toContain('-1\\n-same\\n-2\\n+one');
});

test('what is alike has no diff, whatever the order of its keys', () => {
  const diff = configDiff(configMap({ a: '1', b: '2' }), configMap({ b: '2', a: '1' }), false);
  expect(diff).toEqual({ added: [], removed: [], changed: [], differing: 0 });
  expect(renderDiff(diff, sides)).toBe('');
});

describe('of 80,000 keys with one letter each, which all changed, a diff', () => {
  const letters = (letter: string) =>
    Object.fromEntries(Array.from({ length: 80_000 }, (_, index) => [index.toString(36), letter]));
  const hunksIn = (text: string) => text.match(/@@ -1/g)?.length;

  test('shows the first values, lists some more keys, and counts the rest', () => {
    const diff = configDiff(configMap(letters('a')), configMap(letters('b')), false);
    const text = renderDiff(diff, sides);
    expect(hunksIn(text)).toBe(diffLimits.values);
    expect(text.match(/^Values .* differ$/gm)).toHaveLength(diffLimits.keys - diffLimits.values);
    expect(text).toMatch(
      /\nThe diff is truncated: 80000 keys differ, 5000 are listed, and 1000 of them with their values\n$/,
    );
    const object = jsonDiff(diff);
    expect(object).toMatchObject({ truncated: { differing: 80_000, listed: 5_000, withValues: 1_000 } });
    expect(hunksIn(JSON.stringify(object))).toBe(diffLimits.values);
  });

  test.each([
    ['added', configMap({}), configMap(letters('b'))],
    ['removed', configMap(letters('a')), configMap({})],
    ['masked', secret({}), { ...secret({}), data: letters('YQ==') }],
  ])('is as short when they are %s', (_, from, to) => {
    const diff = configDiff(from, to, false);
    expect([diff.added.length + diff.removed.length, diff.differing]).toEqual([diffLimits.keys, 80_000]);
    expect(hunksIn(renderDiff(diff, sides)) ?? 0).toBeLessThanOrEqual(diffLimits.values);
  });
});

test('a diff with as many keys as it may show with their values is complete', () => {
  const letters = (letter: string) =>
    Object.fromEntries(Array.from({ length: diffLimits.values }, (_, index) => [`k${index}`, letter]));
  const diff = configDiff(configMap(letters('a')), configMap(letters('b')), false);
  expect(renderDiff(diff, sides)).not.toContain('truncated');
  expect(jsonDiff(diff)).not.toHaveProperty('truncated');
});

test('keys with the names of properties of objects are compared as any other', () => {
  const from = configMap(JSON.parse('{"constructor": "a", "__proto__": "a"}'));
  const to = configMap(JSON.parse('{"__proto__": "b", "toString": "b"}'));
  const { added, removed, changed } = configDiff(from, to, false);
  expect([added, removed, changed].map((each) => each.map(({ key }) => key))).toEqual([
    ['toString'],
    ['constructor'],
    ['__proto__'],
  ]);
});
