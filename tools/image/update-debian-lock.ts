import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type DebianLock, type DebianPackage, debianLockFile, pinnedPackages } from './debian-lock.ts';
import { platforms } from './platform.ts';

/**
 * Pins the newest versions of the packages that this machine's apt sources offer. apt verifies the signatures. It works in a
 * folder of its own, so the package lists and architectures of this machine stay as they are.
 */
export function updateDebianLock(): void {
  const release = debianRelease(readFileSync('/etc/os-release', 'utf8'));
  const packages: DebianLock['packages'] = {};
  for (const { architecture } of platforms) packages[architecture] = newestPackages(architecture);
  writeFileSync(debianLockFile, `${JSON.stringify({ release, packages }, null, 2)}\n`);
}

/** The code name of the release of Debian that this machine runs. */
export function debianRelease(osRelease: string): string {
  const name = /^VERSION_CODENAME=(\w+)$/m.exec(osRelease)?.[1];
  if (name === undefined || !/^ID=debian$/m.test(osRelease))
    throw new Error('--update-packages needs a machine with Debian: it pins the packages of its release');
  return name;
}

function newestPackages(architecture: string): DebianPackage[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-apt-'));
  try {
    const config = path.join(folder, 'apt.conf');
    for (const each of ['lists/partial', 'cache/archives/partial'])
      mkdirSync(path.join(folder, each), { recursive: true });
    writeFileSync(path.join(folder, 'status'), '');
    const settings = {
      'Dir::State': folder,
      'Dir::State::status': path.join(folder, 'status'),
      'Dir::Cache': path.join(folder, 'cache'),
      'APT::Architecture': architecture,
      'APT::Architectures': architecture,
      // The user _apt may not write to this folder.
      'APT::Sandbox::User': '',
    };
    writeFileSync(
      config,
      Object.entries(settings)
        .map(([name, value]) => `${name} ${JSON.stringify(value)};\n`)
        .join(''),
    );
    run(config, 'apt-get', 'update');
    return pinnedPackages.map((name) =>
      packageOf(run(config, 'apt-cache', 'show', '--no-all-versions', name)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parses the output of `apt-cache show`. */
export function packageOf(text: string): DebianPackage {
  const field = (name: string) => {
    const value = new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`apt-cache printed no field ${name}:\n${text}`);
    return value;
  };
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    filename: field('Filename'),
    sha256: field('SHA256'),
  };
}

function run(config: string, program: string, ...args: string[]): string {
  const env = { ...process.env, APT_CONFIG: config, LC_ALL: 'C' };
  const { status, stdout, stderr, error } = spawnSync(program, args, { env, encoding: 'utf8' });
  if (error) throw new Error(`cannot run ${program}, which pins the Debian packages: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr}`);
  return stdout;
}
