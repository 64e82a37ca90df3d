import { quoted } from '../../core/messages/quoted.ts';
import type { ConfigKind } from '../../core/references/references.ts';

interface Problem {
  field: string;
  problem: string;
}

type Check = (value: unknown, field: string) => Problem[];

/** Checks only the fields that the gateway reads or changes; the API server validates all others. */
export function fieldProblems(kind: ConfigKind, value: Record<string, unknown>): Problem[] {
  return Object.entries(checks[kind]).flatMap(([field, check]) => {
    const found = value[field];
    return found === undefined || found === null ? [] : check(found, field);
  });
}

/** The fields that the API server knows for the kind, and `metadata.version`. */
export function knownFields(kind: ConfigKind): { top: ReadonlySet<string>; metadata: ReadonlySet<string> } {
  return {
    top: new Set(['apiVersion', 'kind', 'metadata', ...Object.keys(checks[kind])]),
    metadata: new Set(metadataFields),
  };
}

const metadataFields = [
  'name',
  'version',
  'namespace',
  'generateName',
  'labels',
  'annotations',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
  'selfLink',
];

const isText: Check = (value, field) =>
  typeof value === 'string'
    ? []
    : [{ field, problem: `must be a string, not ${typeOf(value)}: ${hint(value)}` }];

const isFlag: Check = (value, field) =>
  typeof value === 'boolean' ? [] : [{ field, problem: `must be true or false, not ${typeOf(value)}` }];

function mapOf(entry: Check): Check {
  return (value, field) => {
    if (!isMap(value)) return [{ field, problem: `must be a map of strings, not ${typeOf(value)}` }];
    // `key:` without a value is an empty string, as in the API server.
    return Object.entries(value).flatMap(([key, each]) =>
      each === null ? [] : entry(each, `${field}[${quoted(key)}]`),
    );
  };
}

/** The message omits the value because it may be secret. */
const isBase64: Check = (value, field) => {
  if (typeof value !== 'string') return isText(value, field);
  const text = value.replace(/[\r\n]/g, '');
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? []
    : [{ field, problem: 'must be base64-encoded' }];
};

const metadata: Check = (value, field) => {
  if (!isMap(value)) return [{ field, problem: `must be a map, not ${typeOf(value)}` }];
  const own: Record<string, Check> = {
    name: isText,
    Name: isText,
    version: isText,
    namespace: isText,
    generateName: isText,
    labels: mapOf(isText),
    annotations: mapOf(isText),
  };
  // Without a name, the request would quietly be one for another version.
  if (value['version'] === null)
    return [
      {
        field: `${field}.version`,
        problem: 'must be a string, not null: write a version name, or remove the field',
      },
    ];
  return Object.entries(own).flatMap(([key, check]) => {
    const found = value[key];
    return found === undefined || found === null ? [] : check(found, `${field}.${key}`);
  });
};

const checks: Record<ConfigKind, Record<string, Check>> = {
  ConfigMap: { metadata, data: mapOf(isText), binaryData: mapOf(isBase64), immutable: isFlag },
  Secret: { metadata, data: mapOf(isBase64), stringData: mapOf(isText), type: isText, immutable: isFlag },
};

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'null';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

function hint(value: unknown): string {
  return typeof value === 'object' ? 'write the value as one string' : 'put the value in quotes';
}
