import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder } from '@trimtab/test-bed/cluster/state/cache-folder.ts';
import { lockedPackage, root } from './package-lock.ts';
import type { Platform } from './platform.ts';

/** The path of Bun for a platform. npm installs it for the platform of this machine only; another one is downloaded once. */
export function fetchBun(platform: Platform): string {
  const at = `node_modules/${platform.bunPackage}`;
  const installed = path.join(root, at, 'bin/bun');
  if (existsSync(installed)) return installed;
  const { name, version, integrity } = lockedPackage(at);
  const cache = path.join(cacheFolder(), 'bun');
  const binary = path.join(cache, `${path.basename(name)}-${version}`, 'bin/bun');
  if (existsSync(binary)) return binary;
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(path.join(cache, '.fetch-'));
  try {
    const archive = run('npm', ['pack', '--silent', `${name}@${version}`], work).trim();
    const digest = createHash('sha512')
      .update(readFileSync(path.join(work, archive)))
      .digest('base64');
    if (`sha512-${digest}` !== integrity)
      throw new Error(`the checksum of ${name} ${version} differs from package-lock.json`);
    run('tar', ['-xzf', archive], work);
    const folder = path.dirname(path.dirname(binary));
    rmSync(folder, { recursive: true, force: true });
    renameSync(path.join(work, 'package'), folder);
    return binary;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (error) throw new Error(`cannot run ${program}: ${error.message}`);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${stderr || stdout}`);
  return stdout;
}
