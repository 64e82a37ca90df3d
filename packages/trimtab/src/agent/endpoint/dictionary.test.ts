import { describe, expect, test } from 'vitest';
import { describeCollision, dictionaryOf, type EndpointConfig, toJson } from './dictionary.ts';

function config(name: string, entries: Record<string, string | Buffer>, more: Partial<EndpointConfig> = {}) {
  const [kind, rest = ''] = name.split('/');
  const all: EndpointConfig = {
    kind: kind === 'secret' ? 'Secret' : 'ConfigMap',
    name: rest,
    version: '1.0.0',
    entries: new Map(Object.entries(entries).map(([key, value]) => [key, Buffer.from(value)])),
  };
  return { ...all, ...more };
}

const json = (...configs: EndpointConfig[]) => JSON.parse(toJson(dictionaryOf(configs)));

describe('an application reads its configuration', () => {
  test('as one flat dictionary of all entries, with names and versions', () => {
    const foo = config(
      'configmap/foo',
      { 'log.level': 'debug', 'app.conf': 'a=1\nb=2\n' },
      { version: '1.0.3' },
    );
    expect(json(foo, config('secret/bar', { password: 'höchst geheim' }))).toEqual({
      'configmap/foo': '1.0.3',
      'secret/bar': '1.0.0',
      'log.level': 'debug',
      'app.conf': 'a=1\nb=2\n',
      password: 'höchst geheim',
    });
  });

  test('with only the keys that the pod names', () => {
    const foo = config('configmap/foo', { a: '1', b: '2' }, { keys: ['b', 'absent'] });
    expect(json(foo)).toEqual({ 'configmap/foo': '1.0.0', b: '2' });
  });

  test('with content that is not text as base64, and a list of these keys', () => {
    const logo = Buffer.from([0x89, 0x50, 0xff]);
    expect(json(config('configmap/foo', { logo, title: 'Shop' }))).toEqual({
      'configmap/foo': '1.0.0',
      logo: 'iVD/',
      title: 'Shop',
      'trimtab.dev/base64': 'logo',
    });
  });

  test('with keys that JavaScript gives a meaning', () => {
    const text = toJson(
      dictionaryOf([config('configmap/foo', {}, { entries: new Map([['__proto__', Buffer.from('x')]]) })]),
    );
    expect(text).toContain('"__proto__": "x"');
  });

  test('without any config', () => {
    expect(json()).toEqual({});
  });
});

describe('configs have the same key', () => {
  const configs = ['configmap/a', 'secret/b', 'configmap/c'].map((name) =>
    config(name, { key: name, [name.slice(-1)]: '' }),
  );

  test('and the config that the pod references last wins', () => {
    expect(json(...configs)).toMatchObject({
      key: 'configmap/c',
      'trimtab.dev/collisions': 'key',
    });
    expect(json(...configs.toReversed())).toMatchObject({ key: 'configmap/a' });
  });

  test('and the log says which', () => {
    expect(dictionaryOf(configs).collisions.map(describeCollision)).toEqual([
      'key key of configmap/a, secret/b is hidden by configmap/c, which the pod references later',
    ]);
  });

  test('but not when one config is referenced twice', () => {
    const twice = config('configmap/a', { key: '1' });
    expect(dictionaryOf([twice, twice]).collisions).toEqual([]);
  });

  test('but not when the pod names other keys of one of them', () => {
    const [a, b] = [
      config('configmap/a', { x: '1', y: '1' }, { keys: ['y'] }),
      config('configmap/b', { x: '2' }),
    ];
    expect(json(a, b)).toEqual({ 'configmap/a': '1.0.0', 'configmap/b': '1.0.0', x: '2', y: '1' });
  });
});
