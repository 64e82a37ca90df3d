import { cpuSeconds, residentMb } from './process-figures.ts';

/** A program that is measured in its own process. */
export interface BenchProcess {
  /** Time from the start of the process until it is ready for edits. */
  readySeconds: number;
  residentMb(): number;
  /** User and system CPU time of the process so far. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

export function figuresOf(pid: number | undefined): Pick<BenchProcess, 'residentMb' | 'cpuSeconds'> {
  return { residentMb: () => residentMb(pid), cpuSeconds: () => cpuSeconds(pid) };
}
