import { statSync } from 'node:fs';
import { loadImage } from '../images/load-image.ts';
import { loadImageArchive } from '../images/load-image-archive.ts';
import { bedFolder } from '../state/bed-folder.ts';
import { requireState } from '../state/bed-state.ts';
import type { Arguments } from '../terminal/arguments.ts';
import { BedError } from '../terminal/bed-error.ts';

export async function image(args: Arguments): Promise<number> {
  const [name, source] = args.operands;
  const folder = bedFolder(args.name);
  if (name !== undefined && source === undefined && isArchive(name)) {
    await loadImageArchive(folder, requireState(folder), name);
    return 0;
  }
  if (name === undefined || source === undefined)
    throw new BedError('the image name and the folder, or an archive of images, are required', [
      'Example: npm run cluster -- image app:1 ./folder',
      'Example: npm run cluster -- image dist/images/trimtab.tar',
    ]);
  if (!statSync(source, { throwIfNoEntry: false })?.isDirectory())
    throw new BedError(`${source} is not a folder`);
  console.log(await loadImage(folder, requireState(folder), { name, folder: source, ...args.image }));
  return 0;
}

function isArchive(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
