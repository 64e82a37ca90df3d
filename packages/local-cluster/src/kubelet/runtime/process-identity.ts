import { type ProcessTable, processTable } from './process-table.ts';

/** Tells a process from every other that has, had or will have its PID. */
export interface ProcessIdentity {
  pid: number;
  began: string;
}

/** Undefined when there is no such process. */
export function identityOf(pid: number, table: ProcessTable = processTable): ProcessIdentity | undefined {
  const began = table.began(pid);
  return began === undefined ? undefined : { pid, began };
}

/** Whether this very process is still there. A zombie is: its PID is not given away yet. */
export function isThere({ pid, began }: ProcessIdentity, table: ProcessTable = processTable): boolean {
  return identityOf(pid, table)?.began === began;
}
