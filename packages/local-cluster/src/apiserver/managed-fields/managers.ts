import { isObject } from '../object.ts';
import { type FieldSet, isEmpty } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';

/** Who writes: one program, in one way, at one place of the object. */
export interface Who {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  /** '' for the object itself. */
  subresource: string;
}

export interface Managed extends Who {
  time: string | undefined;
  fields: FieldSet;
}

/** All managers of an object by their identity. */
export type Managers = ReadonlyMap<string, Managed>;

export function identityOf({ manager, operation, apiVersion, subresource }: Who): string {
  return JSON.stringify({
    ...(manager !== '' && { manager }),
    operation,
    // Who applies stays the same one, whichever version of the kind it writes in.
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** Thrown for entries that nobody could have got from a server; the message is Kubernetes' own. */
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

/** Undefined for nobody: then the object has no such field. */
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

/** Those who apply first, then by time; the rest only makes the order certain. */
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

/** Who owns nothing is no manager. */
export function withoutIdle(managers: Managers): Managers {
  return new Map([...managers].filter(([, { fields }]) => !isEmpty(fields)));
}
