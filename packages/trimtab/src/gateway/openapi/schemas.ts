import type { ConfigKind } from '../../core/references/references.ts';
import type { JsonSchema, RouteDocument } from '../route/route.ts';

/** Schemas that several routes share: `components` of the OpenAPI document, by name. */
export const sharedSchemas: Record<string, JsonSchema> = {
  Status: {
    type: 'object',
    description: 'Kubernetes Status: the result of a request that returns no other object.',
    required: ['kind', 'apiVersion', 'status', 'code'],
    properties: {
      kind: { const: 'Status' },
      apiVersion: { const: 'v1' },
      metadata: { type: 'object' },
      status: { enum: ['Success', 'Failure'] },
      message: { type: 'string', description: 'What is wrong, where, and what to do.' },
      reason: { type: 'string', description: 'Machine-readable reason in one word.' },
      details: { type: 'object' },
      code: { type: 'integer', description: 'The HTTP status code.' },
    },
  },
  ConfigMap: config('ConfigMap', {
    data: texts('Strings by key.'),
    binaryData: texts('Base64-encoded values by key.'),
    immutable: { type: 'boolean' },
  }),
  Secret: config('Secret', {
    data: texts('Base64-encoded values by key.'),
    stringData: texts('Strings by key; they take precedence over `data`.'),
    type: { type: 'string', default: 'Opaque' },
    immutable: { type: 'boolean' },
  }),
  ConfigMapVersion: version('ConfigMap'),
  SecretVersion: version('Secret'),
  VersionDeletion: {
    type: 'object',
    required: ['deleted', 'kept'],
    properties: {
      kind: { const: 'VersionDeletion' },
      apiVersion: { const: 'trimtab.dev/v1alpha1' },
      deleted: {
        type: 'array',
        items: texts('Name of the version, and of the ConfigMap or Secret that held it.'),
      },
      kept: {
        type: 'array',
        items: texts('Name of the version, a reason in one word, and a message that says what to do.'),
      },
    },
  },
  VersionList: {
    type: 'object',
    required: ['items'],
    properties: {
      kind: { const: 'VersionList' },
      apiVersion: { const: 'trimtab.dev/v1alpha1' },
      metadata: { type: 'object' },
      items: {
        type: 'array',
        description: 'The versions in the order of their creation.',
        items: {
          type: 'object',
          required: ['metadata', 'config', 'object', 'sequence', 'state'],
          properties: {
            metadata: {
              type: 'object',
              description: '`name` is the name of the version.',
              properties: {
                name: { type: 'string' },
                namespace: { type: 'string' },
                uid: { type: 'string' },
                creationTimestamp: { type: 'string', format: 'date-time' },
              },
            },
            config: texts('Kind and name of the config.'),
            object: {
              type: 'string',
              description: 'Name of the ConfigMap or Secret that holds the version.',
            },
            sequence: { type: 'integer', minimum: 1 },
            state: { enum: ['current', 'being-current', 'not-current', 'rejected'] },
            inUse: {
              type: 'boolean',
              description:
                'Whether an existing pod, ReplicaSet or ControllerRevision references the version.',
            },
            madeByHand: {
              type: 'boolean',
              description:
                'Whether the version was created through this API; such a version is never pruned.',
            },
            createdBy: { type: 'string' },
            rejected: { type: 'string', description: 'Why the version was rolled back.' },
          },
        },
      },
    },
  },
  VersionDiff: {
    type: 'object',
    required: ['from', 'to', 'added', 'removed', 'changed'],
    properties: {
      kind: { const: 'VersionDiff' },
      apiVersion: { const: 'trimtab.dev/v1alpha1' },
      from: {
        type: 'string',
        description: 'Name of the first version; the diff leads from it to the second.',
      },
      to: { type: 'string' },
      masked: { type: 'boolean', description: 'Whether values are omitted because they are secret.' },
      added: { type: 'array', items: { type: 'object' } },
      removed: { type: 'array', items: { type: 'object' } },
      changed: { type: 'array', items: { type: 'object' } },
      truncated: {
        type: 'object',
        description:
          'Present if too many keys differ: how many differ, how many of them are listed, and how many of these with their values.',
        required: ['differing', 'listed', 'withValues'],
        properties: {
          differing: { type: 'integer' },
          listed: { type: 'integer' },
          withValues: { type: 'integer' },
        },
      },
    },
  },
};

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Schema of a config in a request. */
export function configSchema(kind: ConfigKind): JsonSchema {
  return ref(kind);
}

/** Schema of a version in a response. */
export function versionSchema(kind: ConfigKind): JsonSchema {
  return ref(`${kind}Version`);
}

/** Descriptions of the error codes of all routes. */
export const errorMeanings: Record<number, string> = {
  400: 'The body, the path or a parameter is malformed, has duplicate keys, or names do not match.',
  401: 'The caller is not authenticated.',
  403: 'The caller is not authorized.',
  404: 'The config, the version or the namespace does not exist.',
  405: 'Versions are immutable; the message says what to do instead.',
  406: 'The request is proxied, and the API server has none of the media types in `Accept`.',
  409: 'The config or version already exists or its name was used before, or something depends on it.',
  408: 'The body arrives too slowly.',
  413: 'The body is larger than 3 MiB.',
  415: 'The body is neither JSON nor YAML in UTF-8.',
  422: 'A field has an invalid value.',
  429: 'A limit of requests, or of concurrent work, is reached; the header `Retry-After` says when to retry.',
  500: 'The API server failed, for example because an admission webhook did, or the gateway failed: see its log.',
  503: 'The API server cannot be reached, and the message says whether the request may have taken effect; or the gateway is overloaded or shutting down.',
  504: 'The API server did not respond in time.',
};

/** Codes of the checks before each route, and of failed API calls. */
export const errorsOfAll = [400, 401, 403, 429, 500, 503, 504];
/** Codes of the checks of a body. */
export const errorsOfBodies = [408, 413, 415];

export function errors(...codes: number[]): RouteDocument['answers'] {
  return Object.fromEntries(
    codes.map((code) => [code, { description: errorMeanings[code] ?? '', schema: ref('Status') }]),
  );
}

/** As everywhere in Kubernetes, null is a field that is not set, and a null value in a map is an empty string. */
function config(kind: ConfigKind, fields: Record<string, JsonSchema>): JsonSchema {
  const metadata = {
    type: 'object',
    properties: {
      name: { type: ['string', 'null'], description: 'Also accepted as `Name`.' },
      version: {
        type: ['string', 'number', 'boolean'],
        maxLength: 253,
        description: 'Any string except `current`. A number is taken as it was written.',
      },
      namespace: { type: ['string', 'null'] },
      labels: orNull(texts()),
      annotations: orNull(texts()),
    },
  };
  return {
    type: 'object',
    properties: {
      apiVersion: { enum: ['v1', null] },
      kind: { enum: [kind, null] },
      ...Object.fromEntries(
        Object.entries({ metadata, ...fields }).map(([key, schema]) => [key, orNull(schema)]),
      ),
    },
  };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, additionalProperties } = schema;
  const values = additionalProperties === undefined ? undefined : orNull(additionalProperties as JsonSchema);
  return { ...schema, type: [type, 'null'], ...(values && { additionalProperties: values }) };
}

function version(kind: ConfigKind): JsonSchema {
  return {
    allOf: [ref(kind)],
    description: `One version of a ${kind}, with the config's name, \`metadata.version\` and the annotation \`trimtab.dev/state\`.`,
    properties: {
      metadata: { type: 'object', required: ['name', 'version'] },
      immutable: { const: true },
    },
  };
}

function texts(description?: string): JsonSchema {
  return {
    type: 'object',
    additionalProperties: { type: 'string' },
    ...(description !== undefined && { description }),
  };
}
