import { badRequest } from '../errors/status-error.ts';
import type { Column, Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import type { Representation } from '../request/negotiation.ts';
import { partialMetadata } from './partial-metadata.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

export interface Table {
  kind: 'Table';
  apiVersion: string;
  metadata: object;
  columnDefinitions: object[] | null;
  rows: object[];
}

/** Parses the parameter includeObject. Throws a StatusError. */
export function includeObject(query: URLSearchParams): IncludeObject {
  const asked = query.get('includeObject') || 'Metadata';
  if (asked === 'None' || asked === 'Metadata' || asked === 'Object') return asked;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(asked)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Returns the Table that `kubectl get` prints. In a watch only the first event has column definitions. */
export function table(
  kind: Kind,
  objects: readonly ApiObject[],
  metadata: object,
  options: {
    as: Representation;
    now: number;
    includeObject: IncludeObject;
    withColumns: boolean;
  },
): Table {
  const { as, withColumns } = options;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${as.metaVersion}`,
    metadata,
    columnDefinitions: withColumns ? kind.columns.map(definition) : null,
    rows: objects.map((object) => row(kind, object, options)),
  };
}

function row(
  kind: Kind,
  object: ApiObject,
  { as, now, includeObject: include }: { as: Representation; now: number; includeObject: IncludeObject },
): object {
  const cells = kind.columns.map((column) => column.value(object, now));
  if (include === 'None') return { cells, object: null };
  return { cells, object: include === 'Object' ? object : partialMetadata(object, as) };
}

function definition({ name, type = 'string', format = '', description = '', priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}
