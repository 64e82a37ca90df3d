import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Volume, VolumeMount } from '../../objects/pod.ts';
import { writeAtomically } from './atomic-folder.ts';
import { containerMounts } from './container-mounts.ts';
import { checkHostPath } from './host-path.ts';
import { volumeFolder } from './pod-volumes.ts';

const scratch = await mkdtemp(path.join(tmpdir(), 'test-subpath-'));
let folder: string;

const config: Volume = { name: 'config', configMap: { name: 'colours' } };
const data: Volume = { name: 'data', emptyDir: {} };
const volumes = (): Volume[] => [
  config,
  data,
  { name: 'host', hostPath: { path: path.join(folder, 'outside') } },
];

beforeEach(async () => {
  folder = await mkdtemp(path.join(scratch, 'pod-'));
  for (const volume of [config, data]) await mkdir(volumeFolder(folder, volume), { recursive: true });
  await configHolds('green');
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const configHolds = (colour: string) =>
  writeAtomically(
    volumeFolder(folder, config),
    new Map([
      ['colour', { data: Buffer.from(colour), mode: 0o640 }],
      ['sub/size', { data: Buffer.from('L'), mode: 0o644 }],
    ]),
    0,
  );

const mountsOf = (volumeMounts: VolumeMount[], variables: Record<string, string> = {}) => {
  const container = { name: 'app', volumeMounts };
  const pod = { metadata: { name: 'x' }, spec: { containers: [container], volumes: volumes() } };
  const place = { pod, container, folder, podIP: '', hostIP: '', allocatable: {}, tell() {} };
  return containerMounts(
    { ...place, terminationLog: '', extraEnvironment: {} },
    new Map(Object.entries(variables)),
  );
};
const one = async (mount: Partial<VolumeMount>, variables = {}) => {
  const [found] = await mountsOf([{ name: 'config', mountPath: '/etc/x', ...mount }], variables);
  if (found === undefined) throw new Error('no mount');
  return found;
};

test('a config is mounted read-only, an emptyDir as its mount says', async () => {
  expect(await one({})).toEqual({
    path: '/etc/x',
    source: volumeFolder(folder, config),
    isFolder: true,
    isReadOnly: true,
  });
  expect(await one({ name: 'data', mountPath: '/data/' })).toMatchObject({
    path: '/data',
    isReadOnly: false,
  });
  expect(await one({ name: 'data', readOnly: true })).toMatchObject({ isReadOnly: true });
});

describe('a subPath', () => {
  test('of a config stays as it was when the container started, until it starts again', async () => {
    const before = await one({ subPath: 'colour' });
    expect(before).toMatchObject({ isFolder: false, isReadOnly: true });
    await configHolds('blue');
    expect(await readFile(before.source, 'utf8')).toBe('green');
    expect((await stat(before.source)).mode & 0o777).toBe(0o640);
    expect(await readFile((await one({ subPath: 'colour' })).source, 'utf8')).toBe('blue');
  });

  test('of a config can be a folder of it', async () => {
    const { source, isFolder } = await one({ subPath: 'sub' });
    expect(isFolder).toBe(true);
    expect(await readFile(path.join(source, 'size'), 'utf8')).toBe('L');
  });

  test('that a config does not have is an empty folder, as on Kubernetes', async () => {
    const { source, isFolder } = await one({ subPath: 'nope' });
    expect(isFolder).toBe(true);
    expect(await readdir(source)).toEqual([]);
  });

  test('of an emptyDir is made there, and is the volume’s own', async () => {
    const { source } = await one({ name: 'data', subPath: 'a/b' });
    expect(source).toBe(path.join(volumeFolder(folder, data), 'a/b'));
  });

  test('can be made of variables, which have to be there', async () => {
    const { source } = await one({ name: 'data', subPathExpr: '$(POD)/x' }, { POD: 'cart-0' });
    expect(source).toBe(path.join(volumeFolder(folder, data), 'cart-0/x'));
    await expect(one({ name: 'data', subPathExpr: '$(B)/$(A)' }, { A: '' })).rejects.toThrow(
      'missing value for A, B',
    );
  });

  test.each([
    ['/etc', 'error SubPath `/etc` must not be an absolute path'],
    ['a/../../x', "unable to provision SubPath `a/../../x`: must not contain '..'"],
  ])('%s is refused', async (subPath, message) => {
    await expect(one({ name: 'data', subPath })).rejects.toThrow(message);
  });

  test('does not follow a link that a pod laid out of its volume', async () => {
    const own = volumeFolder(folder, data);
    await writeFile(path.join(folder, 'private'), 'secret');
    await symlink('../../../private', path.join(own, 'file'));
    await symlink('../../..', path.join(own, 'up'));
    await symlink('/nowhere/at/all', path.join(own, 'broken'));
    for (const subPath of ['file', 'up', 'up/made', 'broken'])
      await expect(one({ name: 'data', subPath })).rejects.toThrow(
        'failed to create subPath directory for volumeMount "data" of container "app"',
      );
    expect(await readdir(folder)).not.toContain('made');
  });
});

test('a volume that the pod does not have is named', async () => {
  await expect(one({ name: 'nope' })).rejects.toThrow(
    'cannot find volume "nope" to mount into container "app"',
  );
});

describe('a hostPath', () => {
  test('that is not there becomes a folder, as container runtimes do', async () => {
    expect(await one({ name: 'host' })).toMatchObject({ isFolder: true });
    expect((await stat(path.join(folder, 'outside'))).isDirectory()).toBe(true);
  });

  test.each([
    ['', 'missing', undefined],
    ['DirectoryOrCreate', 'new/folder', undefined],
    ['FileOrCreate', 'new-file', undefined],
    ['Directory', 'folder', undefined],
    ['File', 'file', undefined],
    ['Directory', 'file', 'is not a directory'],
    ['DirectoryOrCreate', 'file', 'is not a directory'],
    ['File', 'folder', 'is not a file'],
    ['File', 'missing', 'is not a file'],
    ['Socket', 'file', 'is not a socket file'],
    ['CharDevice', 'file', 'is not a character device'],
    ['BlockDevice', 'file', 'is not a block device'],
    ['Cloud', 'file', 'is an invalid volume type'],
  ])('of type %j at %s: %s', async (type, name, problem) => {
    await mkdir(path.join(folder, 'folder'));
    await writeFile(path.join(folder, 'file'), '');
    const checked = checkHostPath(path.join(folder, name), type);
    if (problem === undefined) await expect(checked).resolves.toBeUndefined();
    else await expect(checked).rejects.toThrow(problem);
    if (type.endsWith('OrCreate') && problem === undefined) await stat(path.join(folder, name));
  });
});
