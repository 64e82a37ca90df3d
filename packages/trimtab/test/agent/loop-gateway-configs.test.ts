import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { InjectedVolume } from '../../src/api/injected-pod.ts';
import {
  app,
  bornWith,
  clock,
  folder,
  gateway,
  podOf,
  startAgent,
  until,
  untilLater,
  untilReady,
  untilTold,
  useGatewayStage,
  visible,
  volumePath,
} from './support/gateway-stage.ts';

useGatewayStage();

const assigned = (version: string, foo: string, bar: string) => ({
  'configmaps/foo': { version, data: { 'app.conf': foo }, assigned: version },
  'configmaps/bar': { version, data: { other: bar }, assigned: version },
});

/** A pod with two configs, each in its own volume. */
async function withTwoConfigs() {
  gateway.assign(assigned('1.0.0', 'one', 'a'));
  const configs = [bornWith('foo', { 'app.conf': 'one' }), bornWith('bar', { other: 'a' })];
  const volumes = ['main', 'other'].map(
    (name, config): InjectedVolume => ({
      name,
      path: volumePath(name),
      sources: [{ config }],
      fileMode: 0o644,
    }),
  );
  const pod = podOf(configs, { volumes });
  const { agent, end } = startAgent(pod);
  await untilReady(agent);
  await until('the reports', () => gateway.acks.length === 2);
  return { agent, pod, end };
}

const target = (volume: string) => statSync(join(volumePath(volume), '..data')).ino;

describe('configs that were assigned together', () => {
  test('are one reload, although they arrive one after the other', async () => {
    await withTwoConfigs();
    const { 'configmaps/foo': foo, 'configmaps/bar': bar } = assigned('1.0.1', 'two', 'b');
    gateway.assign({ 'configmaps/foo': foo });
    await clock.advance(900);
    expect(visible()).toBe('one');
    gateway.assign({ 'configmaps/bar': bar });
    await untilTold('two');
    expect(visible('other', 'other')).toBe('b');
    await until('the reports', () => gateway.acks.length === 4);
    await clock.advance(5_000);
    expect(app.told).toEqual(['two']);
  });

  test('are applied one by one when the others do not arrive', async () => {
    await withTwoConfigs();
    const { 'configmaps/foo': foo, 'configmaps/bar': bar } = assigned('1.0.1', 'two', 'b');
    gateway.assign({ 'configmaps/foo': foo });
    await untilLater('the change', () => app.told.length === 1);
    expect(visible('other', 'other')).toBe('a');
    gateway.assign({ 'configmaps/bar': bar });
    await untilTold('two', 'two');
    expect(visible('other', 'other')).toBe('b');
  });

  test('and refused are refused each, and only if their version differs from the good one', async () => {
    await withTwoConfigs();
    const { 'configmaps/foo': foo } = assigned('1.0.1', 'bad', 'a');
    gateway.assign({
      'configmaps/foo': foo,
      'configmaps/bar': { version: '1.0.0', data: { other: 'a' }, assigned: '1.0.1' },
    });
    await until('the refusal', () => gateway.results().includes('1.0.1 Refused'));
    expect(gateway.results('configmaps/bar')).toEqual(['1.0.0 Acknowledged']);
    expect([visible(), visible('other', 'other')]).toEqual(['one', 'a']);
    const both = assigned('1.0.2', 'bad again', 'b');
    gateway.assign(both);
    await until('the refusals', () => gateway.results('configmaps/bar').includes('1.0.2 Refused'));
    expect(gateway.results().at(-1)).toBe('1.0.2 Refused');
    expect([visible(), visible('other', 'other')]).toEqual(['one', 'a']);
  });
});

test('a volume whose files stay the same is not switched', async () => {
  await withTwoConfigs();
  const before = target('other');
  gateway.assign(assigned('1.0.1', 'two', 'a'));
  await untilTold('two');
  await until('the reports', () => gateway.acks.length === 4);
  expect(target('other')).toBe(before);
});

describe('files that the kubelet keeps', () => {
  const kept = () => join(folder, 'kept');

  /** Replaces the files as the kubelet does. */
  function keep(files: Record<string, string>): void {
    const name = `..${Object.values(files).join('-')}`;
    mkdirSync(join(kept(), name), { recursive: true });
    for (const [path, text] of Object.entries(files)) writeFileSync(join(kept(), name, path), text);
    rmSync(join(kept(), '..tmp'), { force: true });
    symlinkSync(name, join(kept(), '..tmp'));
    renameSync(join(kept(), '..tmp'), join(kept(), '..data'));
  }

  async function withKept() {
    keep({ token: 't1' });
    gateway.assign({ 'configmaps/foo': { version: '1.0.0', data: { 'app.conf': 'one' } } });
    const volume: InjectedVolume = {
      ...{ name: 'main', path: volumePath(), fileMode: 0o644 },
      sources: [{ config: 0 }, { keptPath: kept(), modes: { token: 0o600 } }],
    };
    const { agent } = startAgent(podOf([bornWith('foo', { 'app.conf': 'one' })], { volumes: [volume] }));
    await untilReady(agent);
  }

  test('are copied along, renewed, and not told', async () => {
    await withKept();
    expect(visible('token')).toBe('t1');
    expect(statSync(join(volumePath(), 'token')).mode & 0o777).toBe(0o600);
    keep({ token: 't2' });
    await untilLater('the new token', () => visible('token') === 't2');
    expect(visible()).toBe('one');
    expect(app.told).toEqual([]);
    expect(gateway.acks).toHaveLength(1);
  });

  test('are renewed while a version is refused', async () => {
    await withKept();
    gateway.assign({ 'configmaps/foo': { version: '1.0.1', data: { 'app.conf': 'bad' } } });
    await until('the refusal', () => gateway.results().includes('1.0.1 Refused'));
    keep({ token: 't2' });
    await untilLater('the new token', () => visible('token') === 't2');
    expect(visible()).toBe('one');
    expect(app.told).toEqual(['bad', 'one']);
    expect(gateway.results()).toEqual(['1.0.0 Acknowledged', '1.0.1 Refused']);
    gateway.assign({ 'configmaps/foo': { version: '1.0.2', data: { 'app.conf': 'two' } } });
    await untilTold('bad', 'one', 'two');
    expect(visible('token')).toBe('t2');
  });
});

test('a file that containers mount by subPath keeps its inode', async () => {
  gateway.assign({ 'configmaps/foo': { version: '1.0.0', data: { 'app.conf': 'one is long' } } });
  const volume = {
    ...podOf([bornWith('foo', { 'app.conf': 'one is long' })]).volumes[0],
    subPaths: ['app.conf'],
  };
  const pod = podOf([bornWith('foo', { 'app.conf': 'one is long' })], {
    volumes: [volume as InjectedVolume],
  });
  const { agent } = startAgent(pod);
  await untilReady(agent);
  const file = join(volumePath(), 'app.conf');
  const { ino, mode } = statSync(file);
  gateway.assign({ 'configmaps/foo': { version: '1.0.1', data: { 'app.conf': 'two' } } });
  await untilTold('two');
  expect([statSync(file).ino, statSync(file).mode, readFileSync(file, 'utf8')]).toEqual([ino, mode, 'two']);
  gateway.assign({ 'configmaps/foo': { version: '1.0.2', data: { 'app.conf': 'bad' } } });
  await untilTold('two', 'bad', 'two');
  expect([statSync(file).ino, readFileSync(file, 'utf8')]).toEqual([ino, 'two']);
  gateway.assign({ 'configmaps/foo': { version: '1.0.3', data: { 'app.conf': 'x', more: 'y' } } });
  await until('the next key', () => existsSync(join(volumePath(), 'more')));
});
