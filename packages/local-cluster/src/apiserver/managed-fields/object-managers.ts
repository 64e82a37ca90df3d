import type { ApiObject } from '../object.ts';
import { decodeManagers, encodeManagers, type Managers, ManagersProblem } from './managers.ts';

/** Undefined for what no server has written. */
export function readManagers(entries: readonly unknown[] | undefined): Managers | undefined {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagersProblem) return undefined;
    throw error;
  }
}

/** Changes the object. */
export function setManagers(object: ApiObject, managers: Managers): void {
  const entries = encodeManagers(managers);
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}
