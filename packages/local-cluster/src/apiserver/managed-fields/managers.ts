import { isObject } from '../object.ts';
import { type FieldSet, isEmpty } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';

/** A field manager: its name, operation, version, and the object or subresource that it writes. */
export interface ManagerIdentity {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  /** Empty for the object itself. */
  subresource: string;
}

export interface Managed extends ManagerIdentity {
  time: string | undefined;
  fields: FieldSet;
}

/** All managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Managed>;

export function identityOf({ manager, operation, apiVersion, subresource }: ManagerIdentity): string {
  return JSON.stringify({
    ...(manager !== '' && { manager }),
    operation,
    // An applier is the same manager in all versions of the kind.
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** Thrown for entries that a server cannot have written; the message is Kubernetes' own. */
export class ManagersProblem extends Error {
  override readonly name = 'ManagersProblem';
}

/** Reads `metadata.managedFields`. Throws ManagersProblem. */
export function decodeManagers(entries: readonly unknown[] | undefined): Managers {
  const managers = new Map<string, Managed>();
  for (const [index, entry] of (entries ?? []).entries()) {
    const managed = decodeEntry(isObject(entry) ? entry : {}, index);
    managers.set(identityOf(managed), managed);
  }
  return managers;
}

function decodeEntry(entry: Record<string, unknown>, index: number): Managed {
  const {
    manager = '',
    operation,
    apiVersion = '',
    time,
    fieldsType = '',
    fieldsV1,
    subresource = '',
  } = entry;
  if (operation !== 'Apply' && operation !== 'Update')
    throw new ManagersProblem('operation must be `Apply` or `Update`');
  if (apiVersion === '') throw new ManagersProblem('apiVersion must not be empty');
  if (fieldsType === '') throw new ManagersProblem(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== 'FieldsV1')
    throw new ManagersProblem(
      `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`,
    );
  return {
    manager: String(manager),
    operation,
    apiVersion: String(apiVersion),
    subresource: String(subresource),
    time: typeof time === 'string' ? time : undefined,
    fields: readFields(fieldsV1),
  };
}

function readFields(encoded: unknown): FieldSet {
  try {
    return decodeFields(encoded);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ManagersProblem(`error decoding set: ${error.message}`);
  }
}

/** Encodes `metadata.managedFields`; undefined when there are no managers, as the object then omits the field. */
export function encodeManagers(managers: Managers): object[] | undefined {
  if (managers.size === 0) return undefined;
  return [...managers.values()]
    .sort(compareManaged)
    .map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
      ...(manager !== '' && { manager }),
      operation,
      apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
      ...(subresource !== '' && { subresource }),
    }));
}

/** Orders Apply before Update, then by time; the other fields make the order deterministic. */
function compareManaged(a: Managed, b: Managed): number {
  return (
    a.operation.localeCompare(b.operation) ||
    seconds(a) - seconds(b) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function seconds({ time }: Managed): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Removes managers that own no fields. */
export function withoutEmpty(managers: Managers): Managers {
  return new Map([...managers].filter(([, { fields }]) => !isEmpty(fields)));
}
