import { existsSync, rmSync } from 'node:fs';
import { endContainers } from './node/end-containers.ts';
import { killDaemons, recordedDaemons } from './process/daemon.ts';
import { bedFolder } from './state/bed-folder.ts';
import { withLock } from './state/lock.ts';
import type { Progress } from './terminal/progress.ts';

/** Stops all processes of the bed and removes its folder. Returns false when the bed does not exist. */
export async function takeDown(name: string, progress: Progress): Promise<boolean> {
  const folder = bedFolder(name);
  if (!existsSync(folder.root)) return false;
  await withLock(
    folder.lock,
    async () => {
      await endContainers(folder);
      await killDaemons(folder, recordedDaemons(folder));
      rmSync(folder.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
    (pid) => {
      if (pid !== process.pid) progress.step(`waiting for process ${pid}, which is changing bed '${name}'`);
    },
  );
  return true;
}
