import { keepReset } from '../managed-fields/keep-reset.ts';
import type { ApiObject } from '../object.ts';
import { decode } from '../schema/decode.ts';
import { typeNamed } from '../schema/type.ts';
import { apiVersionOf, type Column, type Kind, type Strategy } from './kind.ts';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

type Optional =
  | 'shortNames'
  | 'categories'
  | 'verbs'
  | 'storageVersionHash'
  | 'hasGeneration'
  | 'hasStatus'
  | 'hasScale'
  | 'otherSubresources'
  | 'createOnUpdate'
  | 'unconditionalUpdate'
  | 'orphansByDefault'
  | 'returnsDeleted';

/** Properties that a built-in kind declares; the others have the same defaults for most kinds. */
export interface KindDeclaration<T extends ApiObject = ApiObject> extends Partial<Pick<Kind, Optional>> {
  group: string;
  kind: string;
  plural: string;
  namespaced?: boolean;
  definition: string;
  /** Path below `/registry/`; defaults to the plural. */
  storage?: string;
  strategy: Strategy<T>;
  columns: readonly Column<T>[];
  scaleSelector?(object: T): string;
  selectableFields?: Readonly<Record<string, (object: T) => string>>;
}

/** Defines a kind that is built into Kubernetes and has a definition among the schemas. */
export function defineKind<T extends ApiObject>(declaration: KindDeclaration<T>): Kind {
  const { definition, storage, columns, selectableFields, scaleSelector, strategy, ...given } = declaration;
  const names = { group: given.group, version: 'v1', kind: given.kind };
  // The type is compiled on first use, so unused kinds do not slow down the start of the server.
  let type: ReturnType<typeof typeNamed> | undefined;
  const typeOnce = () => {
    type ??= typeNamed(definition);
    return type;
  };
  return {
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    hasGeneration: false,
    hasStatus: false,
    hasScale: false,
    createOnUpdate: false,
    unconditionalUpdate: true,
    orphansByDefault: false,
    returnsDeleted: false,
    typedItems: false,
    ...given,
    ...names,
    listKind: `${given.kind}List`,
    singular: given.kind.toLowerCase(),
    storagePrefix: `/registry/${storage ?? given.plural}/`,
    // The methods of a kind take its specific type; all other code uses ApiObject.
    strategy: strategy as unknown as Strategy,
    columns: columns as unknown as Column[],
    ...(scaleSelector && { scaleSelector: scaleSelector as unknown as NonNullable<Kind['scaleSelector']> }),
    selectableFields: (selectableFields ?? {}) as unknown as Kind['selectableFields'],
    codec: {
      definition,
      get type() {
        return typeOnce();
      },
      decode(body, unknown) {
        const {
          kind: _kind,
          apiVersion: _version,
          metadata,
          ...rest
        } = decode(body, typeOnce(), unknown) as ApiObject;
        const { selfLink: _link, ...meta } = metadata;
        keepReset(body, meta);
        const object: ApiObject = {
          kind: names.kind,
          apiVersion: apiVersionOf(names),
          metadata: meta,
          ...rest,
        };
        strategy.defaults?.(object as T);
        return object;
      },
    },
  };
}
