import { readFile, statfs } from 'node:fs/promises';
import { arch, availableParallelism, platform, release, totalmem, type } from 'node:os';
import type { Machine } from './node-object.ts';

const architectures: Record<string, string> = { x64: 'amd64', ia32: '386' };

/** Reads the facts about this machine that its Node reports. */
export async function readMachine(name: string, stateDir: string): Promise<Machine> {
  const disk = await statfs(stateDir).catch(() => undefined);
  const [machineId, bootId, osRelease] = await Promise.all(
    ['/etc/machine-id', '/proc/sys/kernel/random/boot_id', '/etc/os-release'].map((file) =>
      readFile(file, 'utf8').catch(() => ''),
    ),
  );
  return {
    name,
    cpus: availableParallelism(),
    memoryBytes: totalmem(),
    diskBytes: disk === undefined ? 0 : disk.bsize * disk.blocks,
    address: '127.0.0.1',
    architecture: architectures[arch()] ?? arch(),
    operatingSystem: platform(),
    kernelVersion: release(),
    osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(osRelease ?? '')?.[1] ?? type(),
    machineId: machineId?.trim() ?? '',
    bootId: bootId?.trim() ?? '',
    runtimeVersion: `process://${process.version.slice(1)}`,
  };
}
