import { execFileSync } from 'node:child_process';
import type { ProcessTable } from './process-table.ts';

/** Options that make `ps` print environments: macOS has `-E`, other systems the BSD option without a dash. */
const withEnvironment = process.platform === 'darwin' ? ['-axwwE'] : ['axwwe'];
const columns = ['-o', 'pid=,command='];

/**
 * Process table read from `ps`. macOS hides the environment of system programs such as `/bin/sleep`; such a process
 * is found only while it is in the process group of its container.
 */
export const psTable: ProcessTable = {
  began: (pid) => ask(['-o', 'lstart=', '-p', String(pid)]).trim() || undefined,
  marked(variable, values) {
    // `ps` prints the environment after the command; a listing without environments tells where the command ends.
    const long = commandsByPid(ask([...withEnvironment, ...columns]));
    const short = commandsByPid(ask(['-axww', ...columns]));
    return [...long].flatMap(([pid, text]) => {
      const command = short.get(pid);
      if (command === undefined || !text.startsWith(command)) return [];
      const environment = `${text.slice(command.length)} `;
      return [...values].some((value) => environment.includes(` ${variable}=${value} `)) ? [pid] : [];
    });
  },
};

function commandsByPid(listing: string): Map<number, string> {
  return new Map(
    listing.split('\n').flatMap((line): [number, string][] => {
      const [, pid, command] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      return pid === undefined ? [] : [[Number(pid), (command ?? '').trimEnd()]];
    }),
  );
}

/** Empty when no process matches, in which case `ps` exits with 1. */
function ask(args: readonly string[]): string {
  try {
    return execFileSync('ps', args, {
      encoding: 'utf8',
      env: { LC_ALL: 'C', PATH: '/bin:/usr/bin' },
      stdio: ['ignore', 'pipe', 'ignore'],
      maxBuffer: 256 * 1024 * 1024,
    });
  } catch {
    return '';
  }
}
