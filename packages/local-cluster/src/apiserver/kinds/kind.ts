import type { FieldError } from '../errors/field-error.ts';
import type { NameRule } from '../meta/names.ts';
import type { ApiObject } from '../object.ts';
import type { Type } from '../schema/type.ts';
import type { Subresource } from '../verbs/subresources.ts';
import type { VerbRequest } from '../verbs/verb-request.ts';

/** What a strategy may know about the request and the rest of the cluster. */
export interface StrategyContext {
  /** Milliseconds since the epoch. */
  now: number;
  dryRun: boolean;
  addresses: AddressAllocator;
  /** For the caller; said once, however often it is said. */
  warn(message: string): void;
}

/** Gives Services their addresses and ports; see storage/address-allocator.ts. */
export interface AddressAllocator {
  clusterIp(options: { dryRun: boolean }): string;
  nodePort(options: { dryRun: boolean }): number;
  /** Undefined when it is free, or was taken by this call; else what is wrong with it. */
  claim(address: string | number, options: { dryRun: boolean }): string | undefined;
}

/**
 * The rules of one kind. Every method may be left out; `T` is what the kind knows about its objects. Methods that
 * say so change the object they get, which is theirs alone.
 */
export interface Strategy<T extends ApiObject = ApiObject> {
  nameRule: NameRule;
  /** Part of decoding: fills in what was left out, on writes and again on reads of older objects. Changes it. */
  defaults?(object: T): void;
  /** Changes it. */
  prepareForCreate?(object: T, context: StrategyContext): void;
  /** Changes it. */
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  /** For writes of the status subresource. Changes it. */
  prepareForStatusUpdate?(object: T, old: T): void;
  /** Beside a change of its spec, what counts as a new generation. */
  isNewGeneration?(object: T, old: T): boolean;
  validate?(object: T, context: StrategyContext): FieldError[];
  /** Without it, `validate` holds for updates, too. */
  validateUpdate?(object: T, old: T, context: StrategyContext): FieldError[];
  /** For writes of the status subresource. */
  validateStatus?(object: T, old: T, context: StrategyContext): FieldError[];
  /** For a new object, and for a new generation of an old one. */
  warnings?(object: T, old?: T): string[];
  /** When it is first asked to go: what it must wait for. Changes it. */
  prepareForDelete?(object: T, now: number): void;
  /** For how long a deleted object stays until somebody confirms; undefined removes it at once. */
  gracePeriodSeconds?(object: T, asked: number | undefined): number;
}

export interface Column<T extends ApiObject = ApiObject> {
  name: string;
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  description?: string;
  /** 1 for `-o wide`. */
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
  /** As discovery tells them. */
  verbs: readonly string[];
  storageVersionHash?: string;
  /** `/registry/configmaps/` */
  storagePrefix: string;
  strategy: Strategy;
  columns: readonly Column[];
  /** Fields other than metadata.name and metadata.namespace that a field selector may name. */
  selectableFields: Readonly<Record<string, (object: ApiObject) => string>>;
  /** Whether its metadata.generation counts changes of everything but metadata and status. */
  hasGeneration: boolean;
  /** Whether status is a subresource: writes of the object leave it alone, and the other way round. */
  hasStatus: boolean;
  hasScale: boolean;
  /** Beside status and scale, for discovery; who serves them is the dispatcher's affair. */
  otherSubresources?: readonly Subresource[];
  /** PUT of an object that is not there creates it. */
  createOnUpdate: boolean;
  /** PUT without a resourceVersion overwrites whatever is there. */
  unconditionalUpdate: boolean;
  /** DELETE answers the object, not a Status. */
  returnsDeleted: boolean;
  /** Custom resources show kind and apiVersion in the items of a list, too. */
  typedItems: boolean;
  /** For a kind that is a question: what a create of it is answered. */
  review?(object: ApiObject, request: VerbRequest): ApiObject;
  /** Set for custom resources. */
  custom?: CustomFacts;
  codec: Codec;
}

/** What a definition says about its kind that no built-in kind needs. */
export interface CustomFacts {
  /** Of the definition: with another one it is another kind to those who have begun to read. */
  spec: object;
  /** A stored text as this version shows it: defaults and pruning may have changed since it was written. */
  shown(text: string): string;
  /** In which the same objects are served, too. */
  otherVersions: readonly string[];
  /** The `apiVersion` that is written to the store. */
  storedAs: string;
  scale?: {
    replicas(object: ApiObject): number;
    setReplicas(object: ApiObject, replicas: number): void;
    status(object: ApiObject): { replicas: number; selector?: string };
  };
  /** For /openapi/v3. */
  openApi: object;
  /** Why nothing can be created now. */
  refusesCreate?: string;
}

export interface Codec {
  /**
   * What the server keeps of a body; `unknown` gets the paths of fields that it does not. Throws DecodeError. Kind and
   * apiVersion have been checked already.
   */
  decode(body: unknown, unknown: string[]): ApiObject;
  /** Throws for a body of another kind or version; without it, such a body cannot be decoded. */
  checkType?(kind: string, apiVersion: string): void;
  /** Unknown fields are told by the alphabet, and not as they stand in the text. */
  sortsUnknown?: boolean;
  /** For strategic merge patches; undefined where there are none. */
  type: Type | undefined;
  /** The name of its OpenAPI definition. */
  definition: string;
}

export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}
