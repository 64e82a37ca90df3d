import { spawnSync } from 'node:child_process';

/** Whether a program is on the PATH. CI installs the packages of `npm run cluster -- packages` before the tests. */
export function hasProgram(name: string): boolean {
  return spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;
}
