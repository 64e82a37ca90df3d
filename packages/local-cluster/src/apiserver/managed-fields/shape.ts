import { definitions, referenceOf } from '../schema/definitions.ts';

/** Describes how a value can be owned: as a whole or in parts, and how its parts are identified. */
export type Shape = ScalarShape | ListShape | MapShape | AnyShape;

export interface ScalarShape {
  is: 'scalar';
  of: 'string' | 'numeric' | 'boolean' | 'untyped';
}

export interface ListShape {
  is: 'list';
  /** Items of a set are identified by value, items of a map by key fields; an atomic list is owned as a whole. */
  how: 'atomic' | 'set' | 'map';
  keys: readonly string[];
  of: Shape;
}

export interface MapShape {
  is: 'map';
  atomic: boolean;
  /** Fields that the schema declares, by name. */
  fields: Map<string, { shape: Shape; default: unknown }>;
  /** Shape of all other entries; undefined when other entries are not allowed. */
  of: Shape | undefined;
}

/** A value of any type; the value itself determines its form. */
interface AnyShape {
  is: 'any';
  list: ListShape;
  map: MapShape;
}

/** The part of OpenAPI that determines ownership, for built-in kinds and custom resources. */
export interface ShapeSchema {
  $ref?: string;
  allOf?: { $ref?: string }[];
  type?: string;
  default?: unknown;
  properties?: Record<string, ShapeSchema>;
  additionalProperties?: ShapeSchema | boolean;
  items?: ShapeSchema;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: string;
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
}

const untyped: ScalarShape = { is: 'scalar', of: 'untyped' };

function anything(atomic: boolean, ofList?: Shape): AnyShape {
  const list: ListShape = { is: 'list', how: 'atomic', keys: [], of: untyped };
  const map: MapShape = { is: 'map', atomic, fields: new Map(), of: undefined };
  const shape: AnyShape = { is: 'any', list, map };
  list.of = ofList ?? shape;
  map.of = shape;
  return shape;
}

/** Items of a list without a schema for its items. */
const whole = anything(true);
/** Values without a schema: lists are owned as a whole, objects field by field. */
const deduced = anything(false, whole);

/** Types that are treated as scalars, whatever they contain. */
const opaque = new Set([
  'io.k8s.apimachinery.pkg.api.resource.Quantity',
  'io.k8s.apimachinery.pkg.runtime.RawExtension',
]);

const compiled = new Map<string, Shape>();

/** Returns the shape of one of Kubernetes' definitions, compiled on first use. */
export function shapeNamed(name: string): Shape {
  const known = opaque.has(name) ? untyped : compiled.get(name);
  if (known !== undefined) return known;
  const schema = definitions[name] as ShapeSchema | undefined;
  if (schema === undefined) return deduced;
  if (schema.properties === undefined) {
    const plain = shapeOf(schema);
    compiled.set(name, plain);
    return plain;
  }
  // Definitions can be recursive, so the shape is registered before its fields are compiled.
  const shape = emptyMap(schema);
  compiled.set(name, shape);
  fill(shape, schema, false);
  return shape;
}

/** `keepsUnknown` is true below a schema with x-kubernetes-preserve-unknown-fields. */
export function shapeOf(schema: ShapeSchema, keepsUnknown = false): Shape {
  const reference = referenceOf(schema as Parameters<typeof referenceOf>[0]);
  if (reference !== undefined) return overridden(shapeNamed(reference), schema);
  const keeps = keepsUnknown || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return mapOf(schema, keeps);
    case 'array':
      return listOf(schema, keeps);
    case 'string':
    case 'boolean':
      return { is: 'scalar', of: schema.type };
    case 'integer':
    case 'number':
      return { is: 'scalar', of: 'numeric' };
    default:
      return { is: 'any', list: listOf(schema, keeps), map: mapOf(schema, keeps) };
  }
}

/** A reference to a definition can override whether the value is owned as a whole. */
function overridden(shape: Shape, schema: ShapeSchema): Shape {
  const how = schema['x-kubernetes-map-type'];
  return how === undefined || shape.is !== 'map' ? shape : { ...shape, atomic: how === 'atomic' };
}

function emptyMap(schema: ShapeSchema): MapShape {
  const atomic = schema['x-kubernetes-map-type'] === 'atomic';
  return { is: 'map', atomic, fields: new Map(), of: undefined };
}

function mapOf(schema: ShapeSchema, keepsUnknown: boolean): MapShape {
  const shape = emptyMap(schema);
  fill(shape, schema, keepsUnknown);
  return shape;
}

function fill(shape: MapShape, schema: ShapeSchema, keepsUnknown: boolean): void {
  const { properties = {}, additionalProperties: others } = schema;
  for (const [key, property] of Object.entries(properties))
    shape.fields.set(key, { shape: shapeOf(property, keepsUnknown), default: property.default });
  if (schema['x-kubernetes-embedded-resource'] === true)
    shape.fields.set('metadata', {
      shape: shapeNamed('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
      default: undefined,
    });
  if (typeof others === 'object') shape.of = shapeOf(others, keepsUnknown);
  else if (others ?? (keepsUnknown || schema.properties === undefined)) shape.of = deduced;
}

function listOf(schema: ShapeSchema, keepsUnknown: boolean): ListShape {
  const of = schema.items === undefined ? whole : shapeOf(schema.items, keepsUnknown);
  return { is: 'list', ...relationOf(schema), of };
}

function relationOf(schema: ShapeSchema): Pick<ListShape, 'how' | 'keys'> {
  const how = schema['x-kubernetes-list-type'];
  if (how === 'map') return { how, keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (how !== undefined) return { how: how === 'set' ? 'set' : 'atomic', keys: [] };
  // Older definitions only have the extensions for strategic merge patches.
  if (!schema['x-kubernetes-patch-strategy']?.startsWith('merge')) return { how: 'atomic', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? { how: 'set', keys: [] } : { how: 'map', keys: [key] };
}

/** Returns the form of a value; for a missing value, the one that Kubernetes tries first. */
export function formOf(shape: Shape, value: unknown): ScalarShape | ListShape | MapShape {
  if (shape.is !== 'any') return shape;
  if (value === undefined || value === null) return shape.map;
  if (Array.isArray(value)) return shape.list;
  return typeof value === 'object' ? shape.map : untyped;
}

/** Returns the shape of an entry of a map. */
export function shapeOfField(shape: MapShape, key: string): Shape {
  return shape.fields.get(key)?.shape ?? shape.of ?? deduced;
}
