import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import path, { posix } from 'node:path';
import { text } from '@trimtab/test-bed/cluster/images/host-entries.ts';
import type { TarEntry } from '@trimtab/test-bed/cluster/images/tar.ts';
import { readElfLinks } from './elf.ts';
import type { Platform } from './platform.ts';

/** Extracted packages: the folder of each by its name. */
export type PackageFolders = ReadonlyMap<string, string>;

/** The user of the images. */
export const user = { id: 65532, name: 'nonroot' };

/** The C library loads it when a thread ends; no program names it. */
const loadedLater = 'libgcc_s.so.1';

/** The files below the program in both images: accounts, the libraries that it needs, and what scanners read. */
export function baseFiles(program: string, folders: PackageFolders, platform: Platform): TarEntry[] {
  return [
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\n${user.name}:x:${user.id}:${user.id}::/:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\n${user.name}:x:${user.id}:\n`),
    text('etc/nsswitch.conf', 'hosts: files dns\n'),
    text('usr/lib/os-release', read(folders, 'base-files', 'usr/lib/os-release')),
    { type: 'symlink', path: 'etc/os-release', target: '../usr/lib/os-release' },
    ...libraries(program, folders, platform),
    ...['base-files', 'libc6', 'libgcc-s1'].flatMap((name) => packageRecord(name, folders)),
  ];
}

/** The certificates of public authorities, in one file as update-ca-certificates writes it. */
export function certificateFiles(folders: PackageFolders): TarEntry[] {
  const folder = path.join(folderOf(folders, 'ca-certificates'), 'usr/share/ca-certificates/mozilla');
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.crt'))
    .sort();
  const bundle = names.map((name) => readFileSync(path.join(folder, name), 'utf8')).join('');
  return [text('etc/ssl/certs/ca-certificates.crt', bundle), ...packageRecord('ca-certificates', folders)];
}

/** What names a package to scanners, in the place where distroless images have it, and its licence. */
function packageRecord(name: string, folders: PackageFolders): TarEntry[] {
  const copyright = `usr/share/doc/${name}/copyright`;
  const control = read(folders, name, 'DEBIAN/control').replace(
    /^Version:/m,
    'Status: install ok installed\n$&',
  );
  // The licence of libgcc-s1 is a link to the folder of the package gcc-12-base.
  const found = existsSync(path.join(folderOf(folders, name), copyright));
  return [
    text(`var/lib/dpkg/status.d/${name}`, control),
    ...(found ? [text(copyright, read(folders, name, copyright))] : []),
  ];
}

/** The dynamic loader and all libraries that the program needs, directly or through other libraries. */
function libraries(program: string, folders: PackageFolders, { libraryFolder }: Platform): TarEntry[] {
  const { interpreter, needed } = readElfLinks(program);
  const entries = new Map<string, TarEntry>();
  const add = (at: string) => {
    if (entries.has(at)) return;
    const file = [...folders.values()].map((folder) => path.join(folder, at)).find(isThere);
    if (file === undefined)
      throw new Error(`none of the Debian packages has /${at}, which the program needs`);
    if (lstatSync(file).isSymbolicLink()) {
      const target = readlinkSync(file);
      entries.set(at, { type: 'symlink', path: at, target });
      return add(posix.resolve('/', posix.dirname(at), target).slice(1));
    }
    const { mode, size } = statSync(file);
    entries.set(at, { type: 'file', path: at, mode: mode & 0o111 ? 0o755 : 0o644, file, size });
    for (const name of readElfLinks(file).needed) add(`lib/${libraryFolder}/${name}`);
  };
  if (interpreter !== undefined) add(interpreter.slice(1));
  for (const name of [...needed, loadedLater]) add(`lib/${libraryFolder}/${name}`);
  return [...entries.values()];
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function read(folders: PackageFolders, name: string, file: string): string {
  return readFileSync(path.join(folderOf(folders, name), file), 'utf8');
}

function folderOf(folders: PackageFolders, name: string): string {
  const folder = folders.get(name);
  if (folder === undefined) throw new Error(`debian-lock.json does not list the package ${name}`);
  return folder;
}
