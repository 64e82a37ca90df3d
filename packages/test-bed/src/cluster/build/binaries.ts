import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../state/cache-folder.ts';
import { binaryNames, linkerFlags, parseVersions, type Versions } from './versions.ts';

/** One set of binaries: its sources and its folder. */
export interface BuildSet {
  /** Description of the build and its duration, for the user. */
  title: string;
  /** The Go command and its flags. */
  command: string[];
  /** Go packages to build, as on the command line. */
  packages: string[];
  /** The file names that Go generates, and the final names in `folder`. */
  programs: { built: string; wanted: string }[];
  /** Folders of Go modules whose files are copied to `folder`, too. */
  copies?: { module: string; from: string; to: string }[];
  folder: string;
  module: string;
}

export interface BinarySet extends BuildSet {
  versions: Versions;
}

const moduleFolder = join(import.meta.dirname, '..', 'go');
const pausePackage = './pause';

/** Programs that only a real node needs. They are built only on Linux. */
const nodeOnly = new Set(['kubelet', 'kube-proxy']);

/** The binaries that a bed runs. */
export function binarySet(): BinarySet {
  const versions = parseVersions(read('go.mod'));
  const linux = process.platform === 'linux';
  const tools = versions.tools.filter((tool) => linux || !nodeOnly.has(binaryNames(tool).wanted));
  const packages = [...tools, ...(linux ? [pausePackage] : [])];
  const command = ['build', '-v', ...buildFlags(versions)];
  const key = keyOf([command, packages, read('pause/main.go')]);
  return {
    versions,
    title: `Kubernetes ${versions.kubernetes}, etcd ${versions.etcd} and KWOK ${versions.kwok}, once per version: about 6 minutes on 2 cores`,
    command,
    packages,
    programs: packages.map(binaryNames),
    folder: join(cacheFolder(), `bin-${versions.kubernetes}-${key}`),
    module: moduleFolder,
  };
}

/** The end-to-end tests of Kubernetes, as one program. */
export function endToEndSet(): BinarySet {
  const versions = parseVersions(read('go.mod'));
  const packages = ['k8s.io/kubernetes/test/e2e'];
  const command = ['test', '-c', ...buildFlags(versions)];
  return {
    versions,
    title: `the end-to-end tests of Kubernetes ${versions.kubernetes}, once per version: about 4 minutes on 2 cores`,
    command,
    packages,
    programs: [{ built: 'e2e.test', wanted: 'e2e.test' }],
    folder: join(cacheFolder(), `e2e-${versions.kubernetes}-${keyOf([command, packages])}`),
    module: moduleFolder,
  };
}

function buildFlags(versions: Versions): string[] {
  return ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', linkerFlags(versions)];
}

/** A hash of all sources of the set: any change results in another set. */
function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([process.platform, process.arch, ...parts]))
    .update(read('go.mod'))
    .update(read('go.sum'))
    .digest('hex')
    .slice(0, 12);
}

function read(name: string): string {
  return readFileSync(join(moduleFolder, name), 'utf8');
}

/** The folder is created by a rename after the complete build, so its existence is sufficient. */
export function isBuilt(set: BuildSet): boolean {
  return existsSync(set.folder);
}
