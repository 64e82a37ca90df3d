import { describe, expect, test } from 'vitest';
import type { InjectedVolume } from '../../api/injected-pod.ts';
import type { Config } from '../source/config.ts';
import { composeVolumes } from './compose-volumes.ts';

const config = (name: string, data: Record<string, string>, version = '1.0.0'): Config => ({
  ...{
    kind: 'ConfigMap',
    namespace: 'shop',
    name,
    uid: '',
    resourceVersion: '1',
    version,
    object: `${name}-1`,
  },
  entries: new Map(Object.entries(data).map(([key, text]) => [key, Buffer.from(text)])),
});

const volume = (sources: InjectedVolume['sources']): InjectedVolume => ({
  ...{ name: 'main', path: '/volume', fileMode: 0o644, sources },
});

function compose(configs: Config[], sources: InjectedVolume['sources'], kept: Record<string, string> = {}) {
  const files = new Map(Object.entries(kept).map(([path, text]) => [path, Buffer.from(text)]));
  const result = composeVolumes(configs, { volumes: [volume(sources)], readKept: () => files });
  const [own, main] = result.set.members;
  const shown = Object.fromEntries([...(main?.files ?? [])].map(([path, text]) => [path, String(text)]));
  return { ...result, own, main, shown };
}

describe('the files of a volume', () => {
  test('are the keys of its configs, with the mode of the volume', () => {
    const { shown, main, problems } = compose([config('foo', { a: '1', b: '2' })], [{ config: 0 }]);
    expect(shown).toEqual({ a: '1', b: '2' });
    expect(main?.modes?.get('a')).toBe(0o644);
    expect(problems).toEqual([]);
  });

  test('are the items of a source, with their paths and modes', () => {
    const items = [{ key: 'a', path: 'conf.d/a.conf', mode: 0o600 }];
    const { shown, main } = compose([config('foo', { a: '1', b: '2' })], [{ config: 0, items }]);
    expect(shown).toEqual({ 'conf.d/a.conf': '1' });
    expect(main?.modes?.get('conf.d/a.conf')).toBe(0o600);
  });

  test('are those of the later source when two have the same path', () => {
    const configs = [config('foo', { a: 'foo' }), config('bar', { a: 'bar' })];
    expect(compose(configs, [{ config: 0 }, { config: 1 }]).shown).toEqual({ a: 'bar' });
    expect(compose(configs, [{ config: 1 }, { config: 0 }]).shown).toEqual({ a: 'foo' });
    const kept = { keptPath: '/kept', modes: { a: 0o600 } };
    const { shown, main } = compose(configs, [{ config: 0 }, kept], { a: 'kept', token: 't' });
    expect(shown).toEqual({ a: 'kept', token: 't' });
    expect([...(main?.modes ?? [])]).toEqual([
      ['a', 0o600],
      ['token', 0o644],
    ]);
  });

  test('cannot lack a key, unless the source is optional', () => {
    const items = [{ key: 'missing', path: 'a' }];
    expect(compose([config('foo', {})], [{ config: 0, items }]).problems).toEqual([
      "key 'missing' of configmap shop/foo does not exist, and volume main needs it",
    ]);
    expect(compose([config('foo', {})], [{ config: 0, items, optional: true }]).problems).toEqual([]);
  });

  test('cannot be outside of the volume, and not a file and a folder', () => {
    const outside = [{ key: 'a', path: '../a' }];
    expect(compose([config('foo', { a: '1' })], [{ config: 0, items: outside }]).problems).toEqual([
      "key 'a' of configmap shop/foo: the path '../a' contains '..'; files are only written below --configroot",
    ]);
    const both = [
      { key: 'a', path: 'x' },
      { key: 'a', path: 'x/y' },
    ];
    expect(compose([config('foo', { a: '1' })], [{ config: 0, items: both }]).problems).toHaveLength(1);
  });

  test('of a folder that cannot be read are a problem', () => {
    const readKept = () => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' });
    };
    const volumes = [volume([{ keptPath: '/kept' }])];
    expect(composeVolumes([], { volumes, readKept }).problems).toEqual([
      'cannot read /kept, which volume main needs: EACCES',
    ]);
  });
});

describe('the hash of the configs', () => {
  const hashes = (of: Config, kept: Record<string, string> = {}) => {
    const { set } = compose([of], [{ config: 0 }, { keptPath: '/kept' }], kept);
    return { hash: set.hash, configHash: set.configHash };
  };

  test('differs with a content and with a version, and not with other files', () => {
    const base = hashes(config('foo', { a: '1' }));
    expect(hashes(config('foo', { a: '1' }))).toEqual(base);
    expect(hashes(config('foo', { a: '2' })).configHash).not.toBe(base.configHash);
    expect(hashes(config('foo', { a: '1' }, '1.0.1')).configHash).not.toBe(base.configHash);
    const kept = hashes(config('foo', { a: '1' }), { token: 't' });
    expect(kept.configHash).toBe(base.configHash);
    expect(kept.hash).not.toBe(base.hash);
  });
});
