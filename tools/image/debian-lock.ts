import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A Debian package as debian-lock.json pins it. */
export interface DebianPackage {
  name: string;
  version: string;
  /** `all`, or an architecture. */
  architecture: string;
  /** Path on a mirror. */
  filename: string;
  sha256: string;
}

export interface DebianLock {
  /** Code name of the release. */
  release: string;
  /** The packages of each architecture of the images. */
  packages: Record<string, DebianPackage[]>;
}

export const debianLockFile = path.join(import.meta.dirname, 'debian-lock.json');

/**
 * The packages of which the images contain files: os-release for scanners, the certificates, the C library, and the library
 * that the C library loads when a thread ends.
 */
export const pinnedPackages = ['base-files', 'ca-certificates', 'libc6', 'libgcc-s1'];

export function readDebianLock(): DebianLock {
  return JSON.parse(readFileSync(debianLockFile, 'utf8')) as DebianLock;
}
