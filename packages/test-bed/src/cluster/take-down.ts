import { existsSync, rmSync } from 'node:fs';
import { endContainers } from './node/end-containers.ts';
import { killDaemons, recordedDaemons } from './process/daemon.ts';
import { bedFolder } from './state/bed-folder.ts';
import { withLock } from './state/lock.ts';
import type { Progress } from './terminal/progress.ts';

/** Ends what the bed started and removes its folder. False when there is no such bed. */
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
      if (pid !== process.pid) progress.step(`process ${pid} is at work on bed '${name}': waiting for it`);
    },
  );
  return true;
}
