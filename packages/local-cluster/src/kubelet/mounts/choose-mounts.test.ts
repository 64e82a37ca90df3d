import { expect, test } from 'vitest';
import { chooseMounts } from './choose-mounts.ts';
import type { MountMode } from './probe-mounts.ts';

const can: MountMode = { way: 'namespaces', tools: { unshare: '', nsenter: '', env: '', path: '' } };
const cannot: MountMode = { way: 'folders', because: 'there is no unshare' };

test.each([
  ['what the machine can', undefined, can, 'namespaces'],
  ['what the machine can, however little', undefined, cannot, 'folders'],
  ['folders, as asked for', 'folders', can, 'folders'],
  ['real paths, as asked for', 'namespaces', can, 'namespaces'],
] as const)('volumes are mounted by %s', async (_, wanted, found, way) => {
  expect((await chooseMounts('/x', wanted, async () => found)).way).toBe(way);
});

test('real paths that cannot be had are refused, with why and what to do', async () => {
  await expect(chooseMounts('/x', 'namespaces', async () => cannot)).rejects.toThrow(
    /there is no unshare.*--mounts folders/,
  );
});
