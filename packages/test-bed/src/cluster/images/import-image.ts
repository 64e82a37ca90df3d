import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Bed } from '../bed.ts';
import { ctr } from '../node/ctr.ts';
import { BedError } from '../terminal/bed-error.ts';
import { type ImageDescription, ociArchive } from './oci-image.ts';

/** Streams the image into the bed's containerd, without a registry and without a temporary file. */
export async function importImage(bed: Bed, image: ImageDescription): Promise<void> {
  await importArchive(bed, `image ${image.names.join(', ')}`, Readable.from(ociArchive(image)));
}

/** Streams an archive of images into the bed's containerd. The archive names the images. */
export async function importArchive(bed: Bed, title: string, archive: Readable): Promise<void> {
  const [program = '', ...rest] = ctr(bed, 'images', 'import', '-');
  const child = spawn(program, rest, { stdio: ['pipe', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const ended = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new BedError(`containerd failed to import ${title}`, complaint.trim().split('\n')));
    });
  });
  // When ctr fails, its error message is more useful than the broken pipe.
  const [, sent] = await Promise.allSettled([ended, pipeline(archive, child.stdin)]);
  await ended;
  if (sent.status === 'rejected') throw sent.reason;
}
