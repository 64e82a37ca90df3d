import { mkdtempSync, rmSync } from 'node:fs';
import { join, posix } from 'node:path';
import { openBed } from '../open-bed.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import type { BedState } from '../state/bed-state.ts';
import { parents } from './folder-entries.ts';
import { atSamePath, fromHost } from './host-entries.ts';
import { importImage } from './import-image.ts';
import { writeLayer } from './layer.ts';
import { requireLevel2 } from './load-image.ts';
import { fullImageName } from './oci-image.ts';
import { sharedLibraries } from './shared-libraries.ts';
import type { TarEntry } from './tar.ts';

/** An image that contains one binary and the libraries that it is linked to, and nothing else. */
export interface BinaryImage {
  /** Names for manifests. A container with the tag `latest` needs `imagePullPolicy: IfNotPresent`. */
  names: readonly string[];
  /** The binary, on this machine. */
  binary: string;
  /** The paths of the binary in the image: the first one is the entrypoint, the others are links to it. */
  paths: readonly [string, ...string[]];
  /** User that runs the binary, such as `65532:65532`. Defaults to root. */
  user?: string;
}

/** Builds the image and loads it into the bed, replacing images of the same names. */
export async function loadBinaryImage(folder: BedFolder, state: BedState, image: BinaryImage): Promise<void> {
  requireLevel2(state);
  const scratch = mkdtempSync(join(folder.root, 'image-'));
  try {
    await importImage(openBed(folder, state), {
      names: image.names.map(fullImageName),
      layers: [await writeLayer(binaryEntries(image), join(scratch, 'layer.tar'))],
      entrypoint: [image.paths[0]],
      ...(image.user === undefined ? {} : { user: image.user }),
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

export function binaryEntries({
  binary,
  paths: [first, ...links],
}: Pick<BinaryImage, 'binary' | 'paths'>): TarEntry[] {
  const above = (path: string) => parents(posix.dirname(path).slice(1));
  return [
    ...above(first),
    fromHost(binary, first.slice(1)),
    ...links.flatMap((path): TarEntry[] => [
      ...above(path),
      { type: 'symlink', path: path.slice(1), target: first },
    ]),
    ...atSamePath(sharedLibraries([binary])),
  ];
}
