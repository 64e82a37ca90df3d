import type { FieldError } from '../errors/field-error.ts';
import type { NameRule } from '../meta/names.ts';
import type { ApiObject } from '../object.ts';
import type { Type } from '../schema/type.ts';
import type { Subresource } from '../verbs/subresources.ts';
import type { VerbRequest } from '../verbs/verb-request.ts';

/** Context of a strategy: the request and the rest of the cluster. */
export interface StrategyContext {
  /** Milliseconds since the epoch. */
  now: number;
  dryRun: boolean;
  addresses: AddressAllocator;
  /** Warns the caller; a repeated message is sent once. */
  warn(message: string): void;
}

/** Allocates addresses and ports of Services; see storage/address-allocator.ts. */
export interface AddressAllocator {
  clusterIp(options: { dryRun: boolean }): string;
  nodePort(options: { dryRun: boolean }): number;
  /** Claims an address or port. Returns undefined on success, otherwise the error message. */
  claim(address: string | number, options: { dryRun: boolean }): string | undefined;
}

/**
 * The rules of one kind. Every method is optional; `T` is the type of the objects. Methods that mutate their object
 * say so; the caller passes a copy to them.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  nameRule: NameRule;
  /** Sets the defaults while decoding, on writes and again on reads of older objects. Mutates the object. */
  defaults?(object: T): void;
  /** Mutates the object. */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Mutates the object. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  /** For writes of the status subresource. Mutates the object. */
  prepareForStatusUpdate?(object: T, old: T): void;
  /** Changes that count as a new generation in addition to those of the spec. */
  isNewGeneration?(object: T, old: T): boolean;
  validate?(object: T, context: StrategyContext): FieldError[];
  /** Defaults to `validate`. */
  validateUpdate?(object: T, old: T, context: StrategyContext): FieldError[];
  /** For writes of the status subresource. */
  validateStatus?(object: T, old: T, context: StrategyContext): FieldError[];
  /** For writes of a subresource that has the kind of the object, by its name. */
  subresources?: Readonly<Record<string, SubresourceRules<T>>>;
  /** Warnings for a new object, and for a new generation of an existing one. */
  warnings?(object: T, old?: T): string[];
  /** Called at the first deletion, to add what the deletion has to wait for. Mutates the object. */
  prepareForDelete?(object: T, now: number): void;
  /** How long a deleted object waits for confirmation. Kinds without this method are removed at once. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
}

/** The rules of writes of one subresource. */
interface SubresourceRules<T extends ApiObject = ApiObject> {
  /** Mutates the object. */
  prepareForUpdate(object: T, old: T): void;
  validateUpdate(object: T, old: T): FieldError[];
  /** Fields that a write ignores; the writer does not become their manager. */
  ignoredFields: readonly (readonly string[])[];
}

export interface Column<T extends ApiObject = ApiObject> {
  name: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  description?: string;
  /** 1 for columns that only `-o wide` shows. */
  priority?: number;
  value(object: T, now: number): string | number | boolean | null;
}

export interface Kind {
  group: string;
  version: string;
  kind: string;
  listKind: string;
  plural: string;
  singular: string;
  namespaced: boolean;
  shortNames: readonly string[];
  categories: readonly string[];
  /** Verbs in discovery. */
  verbs: readonly string[];
  storageVersionHash?: string;
  /** `/registry/configmaps/` */
  storagePrefix: string;
  strategy: Strategy;
  columns: readonly Column[];
  /** Fields other than metadata.name and metadata.namespace that a field selector can use. */
  selectableFields: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Whether metadata.generation counts changes of all fields other than metadata and status. */
  hasGeneration: boolean;
  /** Whether status is a subresource: writes of the object ignore the status, and writes of the status all else. */
  hasStatus: boolean;
  hasScale: boolean;
  /** The selector in a Scale. Defaults to the label selector of the spec. */
  scaleSelector?(object: ApiObject): string;
  /** Subresources other than status and scale, for discovery; dispatch.ts has their handlers. */
  otherSubresources?: readonly Subresource[];
  /** PUT of an object that does not exist creates it. */
  createOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites the current object. */
  unconditionalUpdate: boolean;
  /** A deletion without a propagation policy orphans the dependents, instead of deleting them in the background. */
  orphansByDefault: boolean;
  /** DELETE returns the object instead of a Status. */
  returnsDeleted: boolean;
  /** Items of a list have kind and apiVersion, as those of custom resources do. */
  typedItems: boolean;
  /** For review kinds, such as TokenReview: computes the response to a create. */
  review?(object: ApiObject, request: VerbRequest): ApiObject;
  /** Set for custom resources. */
  custom?: CustomFacts;
  codec: Codec;
}

/** Properties of a kind from a CustomResourceDefinition that built-in kinds do not have. */
export interface CustomFacts {
  /** Spec of the definition. After a change of it, requests in progress treat the kind as replaced. */
  spec: object;
  /** Converts stored text to this version. Defaults and pruning are applied again, as the schema may have changed. */
  shown(text: string): string;
  /** Other served versions of the same objects. */
  otherVersions: readonly string[];
  /** The `apiVersion` that is written to the store. */
  storedAs: string;
  scale?: {
    replicas(object: ApiObject): number;
    setReplicas(object: ApiObject, replicas: number): void;
    status(object: ApiObject): { replicas: number; selector?: string };
  };
  /** Schema for /openapi/v3. */
  openApi: object;
  /** Reason why creates are refused; undefined when they are allowed. */
  refusesCreate?: string;
}

export interface Codec {
  /**
   * Decodes a body whose kind and apiVersion have been checked. Unknown fields are dropped, and their paths are added
   * to `unknown`. Throws DecodeError.
   */
  decode(body: unknown, unknown: string[]): ApiObject;
  /** Throws for a body of another kind or version. Without this method, such a body is a decoding error. */
  checkType?(kind: string, apiVersion: string): void;
  /** Unknown fields are reported in alphabetical order and not in the order of the text. */
  sortsUnknown?: boolean;
  /** Type for strategic merge patches; undefined for kinds that do not support them. */
  type: Type | undefined;
  /** Name of the kind's OpenAPI definition. */
  definition: string;
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
