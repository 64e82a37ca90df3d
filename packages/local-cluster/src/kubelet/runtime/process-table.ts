import { procTable } from './proc-table.ts';
import { psTable } from './ps-table.ts';

/** The system's information about the processes of this machine. */
export interface ProcessTable {
  /** Start time of the process, unique among all processes with this PID; undefined when there is no such process. */
  began(pid: number): string | undefined;
  /**
   * PIDs of the processes whose environment has the variable with one of these values, as far as it may be read.
   * Processes with a PID below `lowestPid` may be skipped.
   */
  marked(variable: string, values: ReadonlySet<string>, lowestPid?: number): number[];
}

/** Linux provides /proc; other systems need `ps`. */
export const processTable: ProcessTable = process.platform === 'linux' ? procTable : psTable;
