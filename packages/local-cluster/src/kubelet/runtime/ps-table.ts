import { execFileSync } from 'node:child_process';
import type { ProcessTable } from './process-table.ts';

/** How `ps` is asked for environments: macOS has an option of its own, others the old one without a dash. */
const withEnvironment = process.platform === 'darwin' ? ['-axwwE'] : ['axwwe'];
const columns = ['-o', 'pid=,command='];

/**
 * By `ps`. macOS hides the environment of programs of its own (`/bin/sleep`): such a one is found only while it is in
 * the process group of its container.
 */
export const psTable: ProcessTable = {
  began: (pid) => ask(['-o', 'lstart=', '-p', String(pid)]).trim() || undefined,
  marked(variable, values) {
    // It prints the environment behind the command, so that only both together tell which is which.
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

/** Empty when there is nothing to tell; `ps` then ends with 1. */
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
