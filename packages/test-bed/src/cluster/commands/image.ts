import { statSync } from 'node:fs';
import { loadImage } from '../images/load-image.ts';
import { bedFolder } from '../state/bed-folder.ts';
import { requireState } from '../state/bed-state.ts';
import type { Arguments } from '../terminal/arguments.ts';
import { BedError } from '../terminal/bed-error.ts';

export async function image(args: Arguments): Promise<number> {
  const [name, source] = args.operands;
  if (name === undefined || source === undefined)
    throw new BedError('the image name and the folder are required', [
      'Example: npm run cluster -- image app:1 ./folder',
    ]);
  if (!statSync(source, { throwIfNoEntry: false })?.isDirectory())
    throw new BedError(`${source} is not a folder`);
  const folder = bedFolder(args.name);
  console.log(await loadImage(folder, requireState(folder), { name, folder: source, ...args.image }));
  return 0;
}
