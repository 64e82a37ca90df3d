import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../state/cache-folder.ts';
import { binaryNames, linkerFlags, parseVersions, type Versions } from './versions.ts';

/** One set of binaries: what it is made from, and where it is or will be. */
export interface BinarySet {
  versions: Versions;
  /** Go packages to build, as they are written on the command line. */
  packages: string[];
  flags: string[];
  /** Names in `folder` when it is complete. */
  files: string[];
  folder: string;
  module: string;
}

const moduleFolder = join(import.meta.dirname, '..', 'go');
const pausePackage = './pause';

/** Programs that only a real node needs; they are for Linux alone. */
const nodeOnly = new Set(['kubelet', 'kube-proxy']);

export function binarySet(): BinarySet {
  const read = (name: string) => readFileSync(join(moduleFolder, name), 'utf8');
  const versions = parseVersions(read('go.mod'));
  const linux = process.platform === 'linux';
  const tools = versions.tools.filter((tool) => linux || !nodeOnly.has(binaryNames(tool).wanted));
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', linkerFlags(versions)];
  const packages = [...tools, ...(linux ? [pausePackage] : [])];
  const key = createHash('sha256')
    .update(JSON.stringify([process.platform, process.arch, flags, packages]))
    .update(read('go.mod'))
    .update(read('go.sum'))
    .update(read('pause/main.go'))
    .digest('hex')
    .slice(0, 12);
  return {
    versions,
    packages,
    flags,
    files: packages.map((each) => binaryNames(each).wanted),
    folder: join(cacheFolder(), `bin-${versions.kubernetes}-${key}`),
    module: moduleFolder,
  };
}

/** The folder appears by one rename when everything is built, so its existence is enough. */
export function isBuilt(set: BinarySet): boolean {
  return existsSync(set.folder);
}
