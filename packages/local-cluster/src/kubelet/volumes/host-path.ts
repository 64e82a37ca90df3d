import { mkdir, open, stat } from 'node:fs/promises';
import { ConfigProblem } from '../configs/config-problem.ts';

/** Checks that a hostPath matches its type, and creates a missing one for the `…OrCreate` types. */
export async function checkHostPath(where: string, type: string): Promise<void> {
  if (type === '') return;
  const found = await stat(where).catch(() => undefined);
  if (found === undefined && type === 'DirectoryOrCreate')
    return void (await mkdir(where, { recursive: true, mode: 0o755 }));
  if (found === undefined && type === 'FileOrCreate') return (await open(where, 'a', 0o644)).close();
  const [what, fits] = expectation(type, found);
  if (!fits) throw new ConfigProblem(`hostPath type check failed: ${where} is not ${what}`);
}

function expectation(type: string, found: Awaited<ReturnType<typeof stat>> | undefined): [string, boolean] {
  switch (type) {
    case 'Directory':
    case 'DirectoryOrCreate':
      return ['a directory', found?.isDirectory() ?? false];
    case 'File':
    case 'FileOrCreate':
      return ['a file', found?.isFile() ?? false];
    case 'Socket':
      return ['a socket file', found?.isSocket() ?? false];
    case 'CharDevice':
      return ['a character device', found?.isCharacterDevice() ?? false];
    case 'BlockDevice':
      return ['a block device', found?.isBlockDevice() ?? false];
    default:
      throw new ConfigProblem(`${type} is an invalid volume type`);
  }
}
