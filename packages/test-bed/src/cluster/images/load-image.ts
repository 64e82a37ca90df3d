import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openBed } from '../open-bed.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import type { BedState } from '../state/bed-state.ts';
import { BedError } from '../terminal/bed-error.ts';
import { busyboxLayer, nodeLayer } from './base-layers.ts';
import { folderEntries } from './folder-entries.ts';
import { importImage } from './import-image.ts';
import { type Layer, writeLayer } from './layer.ts';
import { fullImageName } from './oci-image.ts';

export interface FolderImage {
  /** Image name for pods. It needs a tag: without one, Kubernetes pulls from a registry. */
  name: string;
  folder: string;
  /** Base image: `node` (Node and a shell), `busybox` (a shell) or `none`. Defaults to `node`. */
  base?: string;
  /** Path of the folder in the image. Defaults to /app. */
  at?: string;
  command?: readonly string[];
  user?: string;
}

const bases: Record<string, () => Promise<Layer[]>> = {
  node: async () => [await busyboxLayer(), await nodeLayer()],
  busybox: async () => [await busyboxLayer()],
  none: async () => [],
};

export function requireLevel2({ name, level }: BedState): void {
  if (level !== 2) throw new BedError(`bed '${name}' is a level-1 bed: images need level 2`);
}

/** Builds an image from a folder and loads it into the bed, replacing one of the same name. Returns its full name. */
export async function loadImage(folder: BedFolder, state: BedState, image: FolderImage): Promise<string> {
  requireLevel2(state);
  const base = bases[image.base ?? 'node'];
  if (!base) throw new BedError(`--base must be ${Object.keys(bases).join(' or ')}, not '${image.base}'`);
  const at = image.at ?? '/app';
  const name = fullImageName(image.name);
  const scratch = mkdtempSync(join(folder.root, 'image-'));
  try {
    const own = await writeLayer(folderEntries(image.folder, at), join(scratch, 'layer.tar'));
    await importImage(openBed(folder, state), {
      names: [name],
      layers: [...(await base()), own],
      workingDirectory: at,
      ...(image.command && image.command.length > 0 ? { command: image.command } : {}),
      ...(image.user === undefined ? {} : { user: image.user }),
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return name;
}
