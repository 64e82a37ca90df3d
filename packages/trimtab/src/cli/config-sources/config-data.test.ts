import { describe, expect, test } from 'vitest';
import { ConfigData, maxContentBytes } from './config-data.ts';

function contentOf(kind: 'ConfigMap' | 'Secret', values: [key: string, value: Buffer | string][]) {
  const data = new ConfigData(kind, 'foo');
  for (const [key, value] of values) data.add(key, Buffer.from(value as string));
  return data.content();
}

describe('the content of a config', () => {
  test('is text in data and anything else in binaryData of a ConfigMap', () => {
    expect(
      contentOf('ConfigMap', [
        ['b', 'text\n'],
        ['logo', Buffer.from([0xff, 0xfe])],
        ['a', '\uFEFFwith a byte order mark'],
        ['nul', 'a\0b'],
      ]),
    ).toEqual({
      data: { a: '\uFEFFwith a byte order mark', b: 'text\n', nul: 'a\0b' },
      binaryData: { logo: '//4=' },
    });
    expect(contentOf('ConfigMap', [])).toEqual({});
  });

  test('is base64 in data of a Secret', () => {
    expect(contentOf('Secret', [['a', 'b']])).toEqual({ data: { a: 'Yg==' } });
  });

  test('may have a key that is special in JavaScript', () => {
    expect(JSON.stringify(contentOf('ConfigMap', [['__proto__', 'x']]))).toBe('{"data":{"__proto__":"x"}}');
  });

  test('has no key twice', () => {
    const twice = (value: Buffer | string): [string, Buffer | string][] => [
      ['a', value],
      ['a', 'y'],
    ];
    expect(() => contentOf('ConfigMap', twice('x'))).toThrow(
      'cannot add key "a", another key by that name already exists in Data for ConfigMap "foo"',
    );
    expect(() => contentOf('ConfigMap', twice(Buffer.from([0xff])))).toThrow('already exists in BinaryData');
    expect(() => contentOf('Secret', twice('x'))).toThrow(
      'cannot add key a, another key by that name already exists',
    );
  });

  test.each(['', 'a b', '.', '..', '..a', 'ä', 'a/b', 'x'.repeat(254)])('has no key %j', (key) => {
    expect(() => contentOf('ConfigMap', [[key, 'x']])).toThrow('is not a valid key name for a ConfigMap: ');
  });

  test('has at most 1 MiB', () => {
    const half = 'x'.repeat(maxContentBytes / 2);
    expect(() =>
      contentOf('ConfigMap', [
        ['a', half],
        ['b', half],
      ]),
    ).not.toThrow();
    expect(() =>
      contentOf('ConfigMap', [
        ['a', half],
        ['b', half],
        ['c', 'x'],
      ]),
    ).toThrow(
      'the content of configmap "foo" has 1048577 bytes, and Kubernetes accepts at most 1048576 bytes (1 MiB) in one ConfigMap; its largest key is "a" with 524288 bytes',
    );
  });
});
