import { bringUp } from '@trimtab/test-bed/cluster/bring-up.ts';
import { identify } from '@trimtab/test-bed/cluster/process/identity.ts';
import { takeDown } from '@trimtab/test-bed/cluster/take-down.ts';
import type { Progress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';

export interface BenchBed {
  /** Path of bed.json. */
  file: string;
  kubeconfig: string;
  close(): Promise<void>;
}

/** Uses the bed of TRIMTAB_BED and keeps it. Without one, brings up a bed of level 1 and takes it down on close. */
export async function benchBed(progress: Progress): Promise<BenchBed> {
  const given = process.env['TRIMTAB_BED'];
  if (given !== undefined && given !== '') {
    const { kubeconfig } = await readBed(given);
    return { file: given, kubeconfig, async close() {} };
  }
  const name = `bench-${process.pid}`;
  const owner = identify(process.pid);
  const close = async () => {
    await takeDown(name, progress);
  };
  try {
    const wish = { name, level: 1 as const, ...(owner === undefined ? {} : { owner }) };
    const { folder, state } = await bringUp(wish, progress);
    return { file: folder.state, kubeconfig: state.kubeconfig, close };
  } catch (error) {
    await close();
    throw error;
  }
}
