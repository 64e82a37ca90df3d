import type { ConfigKind } from '../../core/references/references.ts';

interface Problem {
  field: string;
  problem: string;
}

type Check = (value: unknown, field: string) => Problem[];

/** Only what we read or take apart is checked; everything else is the API server's to judge. */
export function fieldProblems(kind: ConfigKind, value: Record<string, unknown>): Problem[] {
  return Object.entries(checks[kind]).flatMap(([field, check]) => {
    const found = value[field];
    return found === undefined || found === null ? [] : check(found, field);
  });
}

/** What the API server knows of such an object, and `metadata.version`. */
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
    : [{ field, problem: `is ${typeOf(value)} and has to be text: ${hint(value)}` }];

const isFlag: Check = (value, field) =>
  typeof value === 'boolean' ? [] : [{ field, problem: `is ${typeOf(value)} and has to be true or false` }];

function mapOf(entry: Check): Check {
  return (value, field) => {
    if (!isMap(value)) return [{ field, problem: `is ${typeOf(value)} and has to be a map of texts` }];
    // `key:` with nothing after it is an empty text, as the API server has it.
    return Object.entries(value).flatMap(([key, each]) =>
      each === null ? [] : entry(each, `${field}[${JSON.stringify(key)}]`),
    );
  };
}

/** The value itself stays out of the message: it may be secret. */
const isBase64: Check = (value, field) => {
  if (typeof value !== 'string') return isText(value, field);
  const text = value.replace(/[\r\n]/g, '');
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? []
    : [{ field, problem: 'is not base64, which every value in here has to be' }];
};

const metadata: Check = (value, field) => {
  if (!isMap(value)) return [{ field, problem: `is ${typeOf(value)} and has to be a map` }];
  const own: Record<string, Check> = {
    name: isText,
    Name: isText,
    version: isText,
    namespace: isText,
    generateName: isText,
    labels: mapOf(isText),
    annotations: mapOf(isText),
  };
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
  return typeof value === 'object' ? 'write it as one string' : 'write it in quotes';
}
