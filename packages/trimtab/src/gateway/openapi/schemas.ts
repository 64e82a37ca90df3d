import type { ConfigKind } from '../../core/references/references.ts';
import type { JsonSchema, RouteDocument } from '../route/route.ts';

/** The shapes that several routes share; `components` of the OpenAPI document, by name. */
export const sharedSchemas: Record<string, JsonSchema> = {
  Status: {
    type: 'object',
    description: 'How Kubernetes says that something was refused, or done.',
    required: ['kind', 'apiVersion', 'status', 'code'],
    properties: {
      kind: { const: 'Status' },
      apiVersion: { const: 'v1' },
      metadata: { type: 'object' },
      status: { enum: ['Success', 'Failure'] },
      message: { type: 'string', description: 'What is wrong, where, and what to do.' },
      reason: { type: 'string', description: 'One word to decide by.' },
      details: { type: 'object' },
      code: { type: 'integer', description: 'The HTTP status code.' },
    },
  },
  ConfigMap: config('ConfigMap', {
    data: texts('Texts by key.'),
    binaryData: texts('Base64 by key.'),
    immutable: { type: 'boolean' },
  }),
  Secret: config('Secret', {
    data: texts('Base64 by key.'),
    stringData: texts('Texts by key; they count more than `data`.'),
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
      deleted: { type: 'array', items: texts('The version and the name of its object.') },
      kept: {
        type: 'array',
        items: texts('The version, a reason in one word, and a message with the way out.'),
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
        description: 'In the order in which they were made.',
        items: {
          type: 'object',
          required: ['metadata', 'config', 'object', 'sequence', 'state', 'contentHash'],
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
            object: { type: 'string', description: 'The ConfigMap or Secret that holds it.' },
            sequence: { type: 'integer', minimum: 1 },
            state: { enum: ['current', 'being-current', 'not-current', 'rejected'] },
            inUse: { type: 'boolean', description: 'Named by a live pod, ReplicaSet or ControllerRevision.' },
            madeByHand: { type: 'boolean', description: 'Made through the API: never deleted by itself.' },
            createdBy: { type: 'string' },
            contentHash: { type: 'string' },
            rejected: { type: 'string', description: 'Why it was rolled back.' },
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
      from: { type: 'string', description: 'The version that is compared from.' },
      to: { type: 'string' },
      masked: { type: 'boolean', description: 'Values are left out: they are secret.' },
      added: { type: 'array', items: { type: 'object' } },
      removed: { type: 'array', items: { type: 'object' } },
      changed: { type: 'array', items: { type: 'object' } },
    },
  },
};

export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A config as it is sent. */
export function configSchema(kind: ConfigKind): JsonSchema {
  return ref(kind);
}

/** A version as it is answered. */
export function versionSchema(kind: ConfigKind): JsonSchema {
  return ref(`${kind}Version`);
}

/** What a code means wherever a route has nothing more precise to say. */
export const errorMeanings: Record<number, string> = {
  400: 'The body, the path or a parameter cannot be read: malformed, duplicate keys, a name that does not match.',
  401: 'The cluster does not know who asks.',
  403: 'The cluster does not let the caller do this.',
  404: 'There is no such config or version.',
  405: 'A version is never changed; the message tells what to do instead.',
  409: 'It exists or ever existed, or something depends on it.',
  413: 'The body is larger than 3 MiB.',
  415: 'The body is neither JSON nor YAML in UTF-8.',
  422: 'A field has a value that it cannot have.',
  503: 'The API server cannot be reached; the message says whether something may have been changed.',
  504: 'The API server did not answer in time.',
};

export function errors(...codes: number[]): RouteDocument['answers'] {
  return Object.fromEntries(
    codes.map((code) => [code, { description: errorMeanings[code] ?? '', schema: ref('Status') }]),
  );
}

function config(kind: ConfigKind, fields: Record<string, JsonSchema>): JsonSchema {
  return {
    type: 'object',
    properties: {
      apiVersion: { const: 'v1' },
      kind: { const: kind },
      metadata: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Also read as `Name`, as the proposal writes it.' },
          version: { type: 'string', maxLength: 253, description: 'Any text but `current`.' },
          namespace: { type: 'string' },
          labels: texts(),
          annotations: texts(),
        },
      },
      ...fields,
    },
  };
}

function version(kind: ConfigKind): JsonSchema {
  return {
    allOf: [ref(kind)],
    description: `One version of a ${kind}: the config's name, \`metadata.version\`, and \`trimtab.dev/state\` among its annotations.`,
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
