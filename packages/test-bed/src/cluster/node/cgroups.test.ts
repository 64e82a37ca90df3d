import { expect, test } from 'vitest';
import { parseHierarchies } from './cgroups.ts';

test('old, new and mixed control groups are found', () => {
  const mountinfo = [
    '22 27 0:21 / /proc rw,relatime - proc proc rw',
    '30 23 0:26 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755',
    '31 30 0:27 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu',
    '40 30 0:36 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
    '',
  ].join('\n');
  expect(parseHierarchies(mountinfo)).toEqual([
    { mount: '/sys/fs/cgroup/cpu', version: 1 },
    { mount: '/sys/fs/cgroup/unified', version: 2 },
  ]);
});
