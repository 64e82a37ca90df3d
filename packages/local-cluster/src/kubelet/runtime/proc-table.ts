import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessTable } from './process-table.ts';

let boot: string | undefined;

/** Process table read from /proc of Linux. Boot ID and clock ticks identify the start of a process. */
export const procTable: ProcessTable = {
  began(pid) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
      // The name in parentheses may hold spaces and parentheses; the start time is the 20th field after it.
      const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
      return `${boot}:${ticks}`;
    } catch {
      return undefined;
    }
  },
  marked(variable, values, lowestPid = 0) {
    return readdirSync('/proc').flatMap((entry) => {
      const pid = Number(entry);
      if (!Number.isInteger(pid) || pid < lowestPid) return [];
      const mark = variableOf(pid, variable);
      return mark !== undefined && values.has(mark) ? [pid] : [];
    });
  },
};

function variableOf(pid: number, variable: string): string | undefined {
  try {
    const environment = `\0${environmentOf(pid)}`;
    const start = environment.indexOf(`\0${variable}=`);
    if (start < 0) return undefined;
    const value = start + variable.length + 2;
    const end = environment.indexOf('\0', value);
    return environment.slice(value, end < 0 ? undefined : end);
  } catch {
    // The process has exited or belongs to another user.
    return undefined;
  }
}

/** An exec takes microseconds, or some milliseconds when the process is preempted. */
const maxExecMs = 20;

/**
 * During an exec, the environment of a process reads as empty, and the kernel does not say that an exec is going on.
 * An empty environment is therefore read again for some milliseconds. Few processes have none at all.
 */
function environmentOf(pid: number): string {
  for (let ms = 0; ; ms++) {
    const text = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (text !== '' || ms === maxExecMs || isKernelThreadOrZombie(pid)) return text;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

const kernelThreadFlag = 0x0020_0000;

function isKernelThreadOrZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return /[ZX]/.test(fields[0] ?? '') || (Number(fields[6]) & kernelThreadFlag) !== 0;
}
