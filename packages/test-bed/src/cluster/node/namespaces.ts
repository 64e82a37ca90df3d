import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  ensureDaemon,
  isDaemonAlive,
  killDaemons,
  lastLogLines,
  readRecord,
  recordedDaemons,
  requireAlive,
} from '../process/daemon.ts';
import { waitFor } from '../process/wait-for.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import { BedError } from '../terminal/bed-error.ts';
import type { Progress } from '../terminal/progress.ts';
import { endContainers } from './end-containers.ts';
import { bridge, bridgeAddressAndPrefix } from './network.ts';

const script = join(import.meta.dirname, 'hold-namespaces.sh');
const daemon = 'namespaces';

/**
 * Starts a process that holds a network and a mount namespace. All other programs of a level-2 bed run inside them:
 * bridge, firewall rules and mounts never affect the host, and disappear when the last process of the bed exits.
 */
export async function ensureNamespaces(folder: BedFolder, progress: Progress): Promise<void> {
  const marker = folder.at('namespaces.ready');
  if (!isDaemonAlive(folder, daemon)) {
    // New namespaces would split the bed, so the remaining processes in the old ones are killed.
    await endContainers(folder);
    await killDaemons(folder, recordedDaemons(folder));
    rmSync(marker, { force: true });
    mkdirSync(folder.at('private'), { recursive: true });
    await ensureDaemon(folder, {
      name: daemon,
      command: [
        'unshare',
        '--mount',
        '--net',
        '--',
        '/bin/sh',
        script,
        folder.root,
        bridge,
        bridgeAddressAndPrefix,
      ],
    });
  }
  await waitFor({
    what: 'the namespaces',
    seconds: 10,
    probe: () => existsSync(marker),
    check: () => requireAlive(folder, daemon),
    details: () => lastLogLines(folder, daemon),
  });
  progress.step('network and mount namespaces ready');
}

/** The command prefix that runs a program inside the namespaces. */
export function enterNamespaces(folder: BedFolder): string[] {
  const record = readRecord(folder, daemon);
  if (!record || !isDaemonAlive(folder, daemon))
    throw new BedError(`bed '${folder.name}' is not running`, [
      `Bring it up: npm run cluster -- up --name ${folder.name}`,
    ]);
  return ['nsenter', '--target', String(record.pid), '--mount', '--net', '--'];
}

/** Enters only the network namespace: tests start other beds and inspect the host, so they need the host's files. */
export function enterNetwork(folder: BedFolder): string[] {
  return enterNamespaces(folder).filter((word) => word !== '--mount');
}
