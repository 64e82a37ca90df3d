import { expect, test } from 'vitest';
import { machinePath } from './machine-path.ts';
import { mountFlags, mountTable } from './mount-table.ts';

test('a path with blanks, tabs, backslashes and line ends is one field of one line', () => {
  const text = mountTable([{ source: '/a b\t\\', target: '/r/#x\ny', options: 'bind' }]);
  expect(text).toBe('/a\\040b\\011\\134 /r/\\043x\\012y none bind 0 0\n');
});

const mountInfo = [
  '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
  '23 22 0:5 / /tmp rw,nosuid,nodev,relatime - tmpfs tmpfs rw',
  '24 23 0:6 / /tmp/my\\040disk rw,noexec - tmpfs tmpfs rw',
  '25 22 0:7 / /tmp rw,nosuid,noatime - tmpfs tmpfs rw',
].join('\n');

test.each([
  ['/etc', ['relatime']],
  ['/tmpx', ['relatime']],
  ['/tmp/pods/x', ['nosuid', 'noatime']],
  ['/tmp/my disk/v', ['noexec']],
])('%s lies on a mount with %j', (where, flags) => {
  expect(mountFlags(mountInfo, where)).toEqual(flags);
});

const mount = (path: string, source: string) => ({ path, source, isFolder: true, isReadOnly: false });

test.each([
  ['/etc/foo/key', '/pod/foo/key'],
  ['/etc/foo', '/pod/foo'],
  ['/etc/foobar', '/etc/foobar'],
  ['/etc/foo/inner/x', '/pod/inner/x'],
])('%s of the container is %s of this machine', (where, expected) => {
  const mounts = [mount('/etc/foo/inner', '/pod/inner'), mount('/etc/foo', '/pod/foo')];
  expect(machinePath(mounts, where)).toBe(expected);
});
