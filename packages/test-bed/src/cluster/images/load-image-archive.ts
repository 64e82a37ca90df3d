import { createReadStream } from 'node:fs';
import { openBed } from '../open-bed.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import type { BedState } from '../state/bed-state.ts';
import { importArchive } from './import-image.ts';
import { requireLevel2 } from './load-image.ts';

/**
 * Loads the images of an OCI archive into the bed under the names that the archive gives them. Pods with the policy Never or
 * IfNotPresent use them as they would after a pull.
 */
export async function loadImageArchive(folder: BedFolder, state: BedState, archive: string): Promise<void> {
  requireLevel2(state);
  await importArchive(openBed(folder, state), archive, createReadStream(archive));
}
