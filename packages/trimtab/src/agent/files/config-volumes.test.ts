import { cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InjectedVolume } from '../../api/injected-pod.ts';
import type { Config } from '../source/config.ts';
import { composeVolumes } from './compose-volumes.ts';
import { ConfigVolumes } from './config-volumes.ts';
import { storedConfigs } from './stored-configs.ts';
import type { VolumesSet } from './volumes-set.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-volumes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const layout: InjectedVolume[] = ['a', 'b', 'c'].map((name, config) => ({
  ...{ name, path: '', fileMode: 0o644 },
  // The file of volume c never changes.
  sources: [
    { config: config === 2 ? 0 : config, items: [{ key: config === 2 ? 'same' : 'key', path: 'file' }] },
  ],
}));

function setOf(content: string): VolumesSet {
  const config = (name: string): Config => ({
    ...{ kind: 'ConfigMap', namespace: 'shop', name, uid: '', resourceVersion: '1', version: content },
    entries: new Map([
      ['key', Buffer.from(content)],
      ['same', Buffer.from('same')],
    ]),
  });
  return composeVolumes([config('foo'), config('bar')], { volumes: layout, readKept: () => new Map() }).set;
}

const [one, two] = [setOf('one'), setOf('two')];

function open(root: string, onStep?: (step: string) => void): ConfigVolumes {
  const volumes = layout.map(({ name, fileMode }) => ({
    ...{ path: join(root, name), fileMode },
    ...(name === 'b' && { inPlace: ['file'] }),
  }));
  const opened = new ConfigVolumes({
    ...{ configsFolder: join(root, 'configs'), volumes },
    ...(onStep && { onStep }),
  });
  opened.recover();
  return opened;
}

const shown = (root: string) => ['a', 'b'].map((name) => readFileSync(join(root, name, 'file'), 'utf8'));

/** A folder in which the first set is accepted. */
function withFirst(root: string, onStep?: (step: string) => void): ConfigVolumes {
  const volumes = open(root, onStep);
  volumes.write(one);
  volumes.accept({ isTold: true });
  return volumes;
}

test('a set is visible in all volumes, and its configs can be read back', () => {
  const volumes = withFirst(folder);
  expect(shown(folder)).toEqual(['one', 'one']);
  expect(volumes.current).toEqual(volumes.good);
  expect(volumes.good).toMatchObject({ hash: one.hash, configHash: one.configHash });
  const before = statSync(join(folder, 'c', 'file')).ino;
  volumes.write(two);
  expect(shown(folder)).toEqual(['two', 'two']);
  expect(statSync(join(folder, 'c', 'file')).ino).toBe(before);
  const configs = storedConfigs(open(folder));
  expect(configs?.map(({ name, version, entries }) => [name, version, String(entries.get('key'))])).toEqual([
    ['foo', 'one', 'one'],
    ['bar', 'one', 'one'],
  ]);
});

test('a set that cannot be written completely is visible in no volume', () => {
  let count = 0;
  const volumes = withFirst(folder, (step) => {
    if (step === 'switch ..data' && ++count === 6)
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
  });
  expect(() => volumes.write(two)).toThrow('no space left');
  expect(volumes.current?.hash).toBe(one.hash);
  expect(shown(folder)).toEqual(['one', 'one']);
  volumes.write(two);
  expect(shown(folder)).toEqual(['two', 'two']);
});

describe('a process that is killed at any step', () => {
  const works: [string, (volumes: ConfigVolumes) => void][] = [
    ['of a write', (volumes) => volumes.write(two)],
    [
      'of an accept',
      (volumes) => {
        volumes.write(two);
        volumes.accept({ isTold: true });
      },
    ],
    [
      'of a restore',
      (volumes) => {
        volumes.write(two);
        volumes.restore({ isTold: false });
      },
    ],
  ];

  test.each(works)('%s leaves a good set, to which all volumes can return', (_, work) => {
    const root = join(folder, 'root');
    const snapshots: { step: string; path: string }[] = [];
    let isWatched = false;
    const volumes = withFirst(root, (step) => {
      if (!isWatched) return;
      const path = join(folder, `killed-${snapshots.length}`);
      // The files as the killed process leaves them.
      cpSync(root, path, { recursive: true, verbatimSymlinks: true });
      snapshots.push({ step, path });
    });
    isWatched = true;
    work(volumes);
    expect(snapshots.length).toBeGreaterThan(10);
    for (const { step, path } of snapshots) {
      const { good, isUntold, current } = open(path);
      const hashes = [one.hash, two.hash];
      expect(hashes, step).toContain(good?.hash);
      const content = good?.hash === one.hash ? 'one' : 'two';
      // A set of which only some volumes were switched is not taken for an accepted one.
      if (current?.hash === good?.hash && !isUntold) expect(shown(path), step).toEqual([content, content]);
      cpSync(path, `${path}-again`, { recursive: true, verbatimSymlinks: true });
      expect(open(path).restore({ isTold: true })).toBe(true);
      expect(shown(path), step).toEqual([content, content]);
      open(`${path}-again`).write(two);
      expect(shown(`${path}-again`), step).toEqual(['two', 'two']);
    }
  });
});
