import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { type TarEntry, tar } from '@trimtab/test-bed/cluster/images/tar.ts';
import { cacheFolder } from '@trimtab/test-bed/cluster/state/cache-folder.ts';
import { digest } from './digest.ts';

/** A layer of an image: a tar archive compressed with zstd. */
export interface CompressedLayer {
  /** For people who read the history of the image. */
  comment: string;
  file: string;
  digest: string;
  size: number;
  /** Digest and size of the tar archive. */
  diffId: string;
  uncompressed: number;
}

const compress = promisify(zstdCompress);
/** 32 MiB, which every decoder accepts: level 18 makes the agent smaller than level 19 does with its usual 8 MiB, and faster. */
const windowLog = 25;
const keptForMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Writes a layer to the cache, where the next build finds it if its contents are the same. Levels above 15 take half a minute
 * for a program.
 */
export async function compressedLayer(
  comment: string,
  entries: readonly TarEntry[],
  level: number,
  cache = path.join(cacheFolder(), 'image-layers'),
): Promise<CompressedLayer> {
  const chunks: Buffer[] = [];
  for await (const chunk of tar(entries)) chunks.push(chunk);
  const archive = Buffer.concat(chunks);
  const diffId = digest(archive);
  // The bytes depend on the version of zstd, which the pinned version of Node contains.
  const name = `${diffId.replace(':', '-')}-zstd-${process.versions['zstd']}-${level}-${windowLog}`;
  const file = path.join(cache, name);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
    const params = {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_windowLog]: windowLog,
    };
    writeFileSync(draft, await compress(archive, { params }));
    renameSync(draft, file);
  }
  utimesSync(file, new Date(), new Date());
  const content = readFileSync(file);
  const sizes = { size: content.length, uncompressed: archive.length };
  return { comment, file, digest: digest(content), diffId, ...sizes };
}

/** Removes layers that no build has used for a week. */
export function removeOldLayers(cache = path.join(cacheFolder(), 'image-layers')): void {
  if (!existsSync(cache)) return;
  for (const name of readdirSync(cache)) {
    const found = statSync(path.join(cache, name), { throwIfNoEntry: false });
    if (found && Date.now() - found.mtimeMs > keptForMs) rmSync(path.join(cache, name), { force: true });
  }
}
