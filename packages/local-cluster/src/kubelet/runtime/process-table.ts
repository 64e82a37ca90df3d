import { procTable } from './proc-table.ts';
import { psTable } from './ps-table.ts';

/** What the system tells of the processes of this machine. */
export interface ProcessTable {
  /** When it began, in words that no other process with this PID has; undefined when there is no such process. */
  began(pid: number): string | undefined;
  /**
   * Those whose environment has the variable with one of these values, as far as we may look; with a lower PID than the
   * one given they need not be looked at.
   */
  marked(variable: string, values: ReadonlySet<string>, lowestPid?: number): number[];
}

/** Linux has files for it; elsewhere there is `ps`. */
export const processTable: ProcessTable = process.platform === 'linux' ? procTable : psTable;
