import { readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../..');

/** A package of npm as package-lock.json pins it. */
export interface LockedPackage {
  name: string;
  version: string;
  /** `sha512-` and the checksum in base64. */
  integrity: string;
  /** SPDX expression. */
  license?: string;
}

interface Entry {
  version?: string;
  integrity?: string;
  license?: string;
}

const { packages } = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>;
};

/** The package at a path such as `node_modules/pino`. */
export function lockedPackage(at: string): LockedPackage {
  const { version, integrity, license } = packages[at] ?? {};
  if (version === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no version and checksum for ${at}`);
  const name = at.slice(at.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return { name, version, integrity, ...(license === undefined ? {} : { license }) };
}
