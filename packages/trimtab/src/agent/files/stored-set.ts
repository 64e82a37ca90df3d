import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { FileSet, SetIdentity, SourceState } from './file-set.ts';

/** The manifest of a set; its name cannot be that of a key. */
export const manifestName = '..manifest.json';

/** What the agent remembers of a set on disk. */
export interface Manifest extends SetIdentity {
  sources: SourceState[];
  /** Sum of the content of each file, by path. */
  files: Record<string, string>;
}

export function manifestOf({ files, hash, sources }: FileSet): Manifest {
  return {
    hash,
    sources: [...sources],
    files: Object.fromEntries([...files].map(([path, content]) => [path, sumOf(content)])),
  };
}

/**
 * Reads a set back, and compares every file with the manifest: after a loss of power, files may be empty although the
 * folder is complete. Undefined when the set is not whole.
 */
export function readStoredSet(folder: string): Manifest | undefined {
  try {
    const manifest = parseManifest(readFileSync(join(folder, manifestName), 'utf8'));
    if (manifest === undefined) return undefined;
    const paths = Object.keys(manifest.files);
    if (filesIn(folder).length !== paths.length + 1) return undefined;
    const isWhole = paths.every((path) => sumOf(readFileSync(join(folder, path))) === manifest.files[path]);
    return isWhole ? manifest : undefined;
  } catch {
    return undefined;
  }
}

/** The files of a whole set, by path. */
export function readStoredFiles(folder: string, { files }: Manifest): Map<string, Buffer> {
  return new Map(Object.keys(files).map((path) => [path, readFileSync(join(folder, path))]));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function parseManifest(text: string): Manifest | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { hash, sources, files } = value as Partial<Manifest>;
  if (typeof hash !== 'string' || !Array.isArray(sources) || typeof files !== 'object') return undefined;
  return { hash, sources, files };
}

function sumOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
