import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FileKind, type Machine, planView } from './plan-view.ts';

/** A fake machine with folders (`/x/`), files (`/x`) and symlinks (`/x -> target`). */
function machineOf(...entries: string[]): Machine {
  const sights = new Map<string, FileKind>([['/', { type: 'folder', mode: 0o755 }]]);
  for (const entry of entries) {
    const [where = '', target] = entry.split(' -> ');
    if (target !== undefined) sights.set(where, { type: 'link', target });
    else if (where.endsWith('/')) sights.set(where.slice(0, -1), { type: 'folder', mode: 0o755 });
    else sights.set(where, { type: 'file' });
  }
  const parent = (where: string) => where.slice(0, where.lastIndexOf('/')) || '/';
  return {
    look: (where) => sights.get(where),
    names: (folder) =>
      [...sights.keys()]
        .filter((each) => each !== '/' && parent(each) === folder)
        .map((each) => each.slice(each.lastIndexOf('/') + 1)),
  };
}

const machine = machineOf(
  ...['/bin -> usr/bin', '/usr/', '/usr/bin/', '/etc/', '/etc/hosts', '/etc/ssl/', '/tmp/', '/proc/'],
  ...['/var/', '/var/lib/', '/var/run -> /run', '/run/', '/run/lock/', '/loop -> loop', '/kernel'],
);

const folder = (where: string, source = '/pod/v') => ({
  path: where,
  source,
  isFolder: true,
  isReadOnly: false,
});
const file = (where: string, source = '/pod/f') => ({ ...folder(where, source), isFolder: false });
const paths = (list: { path: string }[]) => list.map((each) => each.path).sort();

test('a folder that this machine has is mounted over; everything else is shown as it is', () => {
  const plan = planView(machine, [folder('/etc')]);
  expect(paths(plan.mounts)).toEqual(['/etc']);
  expect(paths(plan.shown)).toEqual(['/etc', '/kernel', '/proc', '/run', '/tmp', '/usr', '/var']);
  expect(plan.links).toEqual([
    { path: '/bin', target: 'usr/bin' },
    { path: '/loop', target: 'loop' },
  ]);
});

test('a folder that this machine lacks is made beside what its parent has', () => {
  const plan = planView(machine, [folder('/etc/foo')]);
  expect(paths(plan.folders)).toContain('/etc/foo');
  expect(paths(plan.shown)).toEqual(expect.arrayContaining(['/etc/hosts', '/etc/ssl', '/usr', '/var']));
  expect(paths(plan.shown)).not.toContain('/etc');
});

test('a new /dev has what container runtimes put there', () => {
  const devices = machineOf(
    '/dev/',
    '/dev/null',
    '/dev/pts/',
    '/dev/sda',
    '/dev/kvm',
    '/dev/fd -> /proc/self/fd',
  );
  const plan = planView(devices, [file('/dev/termination-log')]);
  expect(paths(plan.shown)).toEqual(['/dev/null', '/dev/pts']);
  expect(paths(plan.links)).toEqual(['/dev/fd']);
  expect(paths(planView(devices, [folder('/data')]).shown)).toEqual(['/dev']);
});

test('folders are made before what lies in them', () => {
  const plan = planView(machine, [folder('/a/b/c/d')]);
  const made = plan.folders.map((each) => each.path);
  expect(made.indexOf('/a')).toBeLessThan(made.indexOf('/a/b'));
  expect(made.indexOf('/a/b/c')).toBeLessThan(made.indexOf('/a/b/c/d'));
});

test('links of this machine are followed: a token below /var/run lies in /run', () => {
  const where = '/var/run/secrets/kubernetes.io/serviceaccount';
  const plan = planView(machine, [folder(where)]);
  expect(paths(plan.mounts)).toEqual(['/run/secrets/kubernetes.io/serviceaccount']);
  expect(paths(plan.shown)).toContain('/run/lock');
});

test('a file is mounted over a file, or where there is none', () => {
  const plan = planView(machine, [file('/etc/hosts'), file('/etc/new.conf')]);
  expect(plan.files).toContain('/etc/new.conf');
  expect(paths(plan.mounts)).toEqual(['/etc/hosts', '/etc/new.conf']);
});

test('a mount inside of another one gets its place in that volume, whatever their order', () => {
  const plan = planView(machine, [folder('/data/cache/x', '/pod/inner'), folder('/data', '/pod/outer')]);
  expect(plan.mounts.map((each) => each.path)).toEqual(['/data', '/data/cache/x']);
  expect(plan.insideVolumes).toEqual([{ path: '/pod/outer/cache/x', isFolder: true }]);
});

test('the working directory is made when it is missing', () => {
  expect(paths(planView(machine, [], ['/app/src']).folders)).toEqual(
    expect.arrayContaining(['/app', '/app/src']),
  );
});

test('a folder that may be passed but not listed still leads to what is in it', () => {
  const open = machineOf('/home/', '/home/ann/', '/home/ann/notes');
  const closed = { ...open, names: (at: string) => (at === '/home' ? [] : open.names(at)) };
  const plan = planView(closed, [folder('/home/ann/new')]);
  expect(paths(plan.shown)).toEqual(['/home/ann/notes']);
  expect(paths(plan.folders)).toEqual(['/', '/home', '/home/ann', '/home/ann/new']);
});

describe('what cannot be is said', () => {
  test.each([
    ['a folder over a file', folder('/etc/hosts'), /\/etc\/hosts must be a folder, but is a file/],
    ['a file over a folder', file('/etc/ssl'), /\/etc\/ssl must be a file, but is a folder/],
    ['below a file', folder('/kernel/x'), /\/kernel is a file/],
    ['over the root', folder('/'), /the root of the container/],
    ['through links that go round', folder('/loop/x'), /too many symbolic links/],
    ['where only the kernel makes files', folder('/proc/new'), /belongs to the kernel/],
  ])('%s', (_, mount, message) => {
    expect(() => planView(machine, [mount])).toThrow(message);
  });
});

test('whatever is mounted: each place is made once, has its parent, and hides no sibling', () => {
  const names = fc.constantFrom('etc', 'var', 'run', 'usr', 'new', 'a', 'b');
  const somewhere = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
  fc.assert(
    fc.property(fc.uniqueArray(somewhere, { maxLength: 5 }), (places) => {
      const plan = planView(
        machine,
        places.map((where, index) => folder(where, `/pod/${index}`)),
      );
      const made = [...paths(plan.folders), ...plan.files, ...paths(plan.links)];
      expect(new Set(made).size).toBe(made.length);
      const folders = new Set(paths(plan.folders));
      for (const each of made)
        expect(each === '/' || folders.has(each.slice(0, each.lastIndexOf('/')) || '/')).toBe(true);
      const shown = new Set(paths(plan.shown));
      const links = new Set(paths(plan.links));
      // Every file of this machine is shown itself, shown through a parent folder, or created in the new root.
      for (const each of ['/etc/hosts', '/etc/ssl', '/run/lock', '/usr/bin', '/var/lib', '/bin']) {
        const around = [...shown].some((at) => each === at || each.startsWith(`${at}/`));
        expect(around || links.has(each) || folders.has(each)).toBe(true);
      }
    }),
  );
});
