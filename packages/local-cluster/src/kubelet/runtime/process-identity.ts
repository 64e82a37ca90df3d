import { type ProcessTable, processTable } from './process-table.ts';

/** Identifies a process uniquely, even after its PID is reused. */
export interface ProcessIdentity {
  pid: number;
  began: string;
}

/** Undefined when there is no such process. */
export function identityOf(pid: number, table: ProcessTable = processTable): ProcessIdentity | undefined {
  const began = table.began(pid);
  return began === undefined ? undefined : { pid, began };
}

/** Whether this exact process still exists. A zombie counts, because its PID is not yet reused. */
export function isThere({ pid, began }: ProcessIdentity, table: ProcessTable = processTable): boolean {
  return identityOf(pid, table)?.began === began;
}
