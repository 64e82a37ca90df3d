import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { decode } from '../schema/decode.ts';
import type { ManagerIdentity } from './managers.ts';
import { resetFields } from './reset-fields.ts';
import { type Shape, type ShapeSchema, shapeNamed, shapeOf } from './shape.ts';
import type { Rules } from './track-update.ts';

/** The manager, target and time of a write. */
export interface Writer {
  kind: Kind;
  /** Empty for the object itself. */
  subresource: string;
  manager: string;
  /** Timestamp in the format of objects; undefined keeps the recorded time. */
  time: string | undefined;
}

const shapes = new WeakMap<Kind, Shape>();

export function shapeOfKind(kind: Kind): Shape {
  const known = shapes.get(kind);
  if (known !== undefined) return known;
  const shape =
    kind.custom === undefined
      ? shapeNamed(kind.codec.definition)
      : shapeOf(kind.custom.openApi as ShapeSchema);
  shapes.set(kind, shape);
  return shape;
}

export function rulesOf({ kind, subresource }: Writer): Rules {
  return { shape: shapeOfKind(kind), reset: resetFields(kind, subresource) };
}

export function managerIdentity(
  { kind, subresource, manager }: Writer,
  operation: ManagerIdentity['operation'],
): ManagerIdentity {
  return { manager: manager || 'unknown', operation, apiVersion: apiVersionOf(kind), subresource };
}

const empty = new WeakMap<Kind, ApiObject>();

/** The object that a create is compared with: it has the fields that Go's types always encode. Must not be mutated. */
export function emptyObject(kind: Kind): ApiObject {
  const known = empty.get(kind);
  if (known !== undefined) return known;
  const { type } = kind.codec;
  const fields = type === undefined ? {} : (decode({}, type) as object);
  const object = { ...fields, kind: kind.kind, apiVersion: apiVersionOf(kind) } as ApiObject;
  empty.set(kind, object);
  return object;
}

export function bare(object: ApiObject): ApiObject {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}
