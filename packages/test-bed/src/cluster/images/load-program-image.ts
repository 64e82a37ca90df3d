import { ctr } from '../node/ctr.ts';
import { openBed } from '../open-bed.ts';
import { run } from '../process/run.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import type { BedState } from '../state/bed-state.ts';
import { busyboxLayer } from './base-layers.ts';
import { importImage } from './import-image.ts';
import { requireLevel2 } from './load-image.ts';
import { fullImageName, imageDigest } from './oci-image.ts';
import { type ProgramName, programImages } from './program-images.ts';
import { programLayer } from './program-layer.ts';

/** Loads the image of a program into the bed, unless the same image is there. Returns its name for manifests. */
export async function loadProgramImage(
  folder: BedFolder,
  state: BedState,
  program: ProgramName,
  name = programImages[program].name,
): Promise<string> {
  requireLevel2(state);
  const { user, args, isEntrypoint, ...image } = programImages[program];
  const bed = openBed(folder, state);
  const full = fullImageName(name);
  const description = {
    names: [full],
    layers: [await busyboxLayer(), await programLayer(programImages[program])],
    ...(isEntrypoint
      ? { entrypoint: [image.program], command: args }
      : { command: [image.program, ...args] }),
    ...(user === undefined ? {} : { user }),
  };
  const loaded = (await run(ctr(bed, 'images', 'ls'))).split('\n').map((line) => line.split(/\s+/));
  const digest = imageDigest(description);
  if (!loaded.some((words) => words[0] === full && words.includes(digest)))
    await importImage(bed, description);
  return name;
}
