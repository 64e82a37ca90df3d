import type { ApiObject } from '../object.ts';
import { decodeManagers, encodeManagers, type Managers, ManagersProblem } from './managers.ts';

/** Returns undefined for entries that a server cannot have written. */
export function readManagers(entries: readonly unknown[] | undefined): Managers | undefined {
  try {
    return decodeManagers(entries);
  } catch (error) {
    if (error instanceof ManagersProblem) return undefined;
    throw error;
  }
}

/** Mutates the object. */
export function setManagers(object: ApiObject, managers: Managers): void {
  const entries = encodeManagers(managers);
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}
