import { binarySet } from '../build/binaries.ts';
import { ensureBinaries } from '../build/build.ts';
import { terminalProgress } from '../terminal/progress.ts';

export async function build(): Promise<number> {
  const set = binarySet();
  await ensureBinaries(set, terminalProgress());
  console.log(set.folder);
  return 0;
}
