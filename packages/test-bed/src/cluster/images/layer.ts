import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TarEntry, tar } from './tar.ts';

/** One layer of an image: an uncompressed tar file. */
export interface Layer {
  file: string;
  digest: string;
  size: number;
}

export async function writeLayer(
  entries: Iterable<TarEntry> | AsyncIterable<TarEntry>,
  file: string,
): Promise<Layer> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  mkdirSync(dirname(file), { recursive: true });
  await pipeline(tar(entries), measure, createWriteStream(file));
  return { file, digest: `sha256:${hash.digest('hex')}`, size };
}

/** Writes the layer once. Its JSON file is written last and marks the layer as complete. Others may write it meanwhile. */
export async function cachedLayer(file: string, entries: () => Iterable<TarEntry>): Promise<Layer> {
  const description = `${file}.json`;
  if (existsSync(description)) return { ...(JSON.parse(readFileSync(description, 'utf8')) as Layer), file };
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const layer = await writeLayer(entries(), draft);
  renameSync(draft, file);
  writeFileSync(`${draft}.json`, JSON.stringify(layer));
  renameSync(`${draft}.json`, description);
  return { ...layer, file };
}
