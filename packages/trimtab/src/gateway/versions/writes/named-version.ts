import type { ConfigBody } from '../../../api/config-body.ts';
import { annotations, labels } from '../../../api/names.ts';
import { quoted } from '../../../core/messages/quoted.ts';
import { badRequest, type Refusal } from '../../../versions/refusal.ts';
import type { WriteForm } from './write-format.ts';

/** A map of a parsed body. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a write does with the name of the config's version. */
export type NamedVersion =
  /** It has no such field and is Kubernetes' own. */
  | { write: 'names no version' }
  /** A merge patch removes the field, as `kubectl apply` does when the manifest no longer has it. */
  | { write: 'removes the name'; body: unknown }
  /** `body` has the annotation instead of the field, which the API server does not know. */
  | { write: 'names a version'; version: string; body: unknown };

/** Reads `metadata.version` of a parsed PUT or PATCH. Throws a 400 for a value that is no name. */
export function namedVersion(form: WriteForm, value: unknown): NamedVersion {
  if (form === 'json-patch') return inOperations(value);
  if (!isFields(value) || !isFields(value['metadata'])) return { write: 'names no version' };
  const { version, ...metadata } = value['metadata'];
  if (version === undefined) return { write: 'names no version' };
  const named = metadata['annotations'] ?? {};
  // The API server would refuse it, and no longer sees it once the annotation is added.
  if (!isFields(named))
    throw badRequest(`metadata.annotations: must be a map of strings, not ${typeText(named)}`);
  const withAnnotations = (all: Fields): Fields => ({
    ...value,
    metadata: { ...metadata, annotations: all },
  });
  if (version === null && (form === 'merge' || form === 'strategic'))
    return { write: 'removes the name', body: withAnnotations({ [annotations.version]: null, ...named }) };
  if (typeof version !== 'string') throw notText(version);
  const other = named[annotations.version] ?? version;
  if (other !== version)
    throw badRequest(
      `metadata.version (${quoted(version)}) does not match the annotation ${annotations.version} (${quoted(other)}): remove one of them`,
    );
  // In a merge patch, null would remove the annotation that the name becomes.
  const body = withAnnotations({ ...named, [annotations.version]: version });
  return { write: 'names a version', version, body: withoutReadOnlyMetadata(body) };
}

const field = '/metadata/version';
const annotation = `/metadata/annotations/${annotations.version.replace('/', '~1')}`;

function inOperations(value: unknown): NamedVersion {
  if (!Array.isArray(value)) return { write: 'names no version' };
  const named = value.filter((each) => isFields(each) && concerns(each));
  if (named.length === 0) return { write: 'names no version' };
  const [operation] = named as Fields[];
  const { op, path, value: version } = operation ?? {};
  if (named.length > 1 || path !== field || (op !== 'add' && op !== 'replace'))
    throw badRequest(
      `a JSON patch names a version with one operation: {"op": "add", "path": "${field}", "value": "NAME"}`,
    );
  if (typeof version !== 'string') throw notText(version);
  const body = value.map((each) =>
    each === operation ? { op: 'add', path: annotation, value: version } : each,
  );
  return { write: 'names a version', version, body };
}

/**
 * A JSON patch cannot add an annotation to an object without annotations. The test keeps those that another writer adds
 * in the meantime.
 */
export function withAnnotationsOf({ metadata }: ConfigBody, operations: unknown): unknown {
  const list = operations as readonly Fields[];
  if (
    metadata.annotations !== undefined ||
    list.some((each) => isFields(each) && each['path'] === '/metadata/annotations')
  )
    return list;
  return [
    { op: 'test', path: '/metadata/annotations', value: null },
    { op: 'add', path: '/metadata/annotations', value: {} },
    ...list,
  ];
}

/** Operations on the field itself, and those that set its parents with it. */
function concerns({ path, from, value }: Fields): boolean {
  if ([path, from].some((each) => typeof each === 'string' && `${each}/`.startsWith(`${field}/`)))
    return true;
  if (path === '') return isFields(value) && isFields(value['metadata']) && 'version' in value['metadata'];
  return path === '/metadata' && isFields(value) && 'version' in value;
}

/** Annotations that the gateway adds to a version in its responses. */
const readOnlyAnnotations: readonly string[] = [
  labels.state,
  annotations.object,
  annotations.contentHash,
  annotations.sequence,
  annotations.createdBy,
  annotations.rejected,
  annotations.beingCurrent,
];

/**
 * A version that the gateway returned may be sent back as a config. Its uid, resourceVersion and `immutable` are those of
 * the object that holds the version.
 */
function withoutReadOnlyMetadata(body: Fields): Fields {
  const { annotations: own, ...metadata } = body['metadata'] as Fields & { annotations: Fields };
  const kept = Object.fromEntries(Object.entries(own).filter(([key]) => !readOnlyAnnotations.includes(key)));
  if (own[annotations.object] === undefined) return { ...body, metadata: { ...metadata, annotations: kept } };
  const { immutable: _, ...rest } = body;
  const { uid: __, resourceVersion: ___, creationTimestamp: ____, ...named } = metadata;
  return { ...rest, metadata: { ...named, annotations: kept } };
}

function notText(version: unknown): Refusal {
  return badRequest(
    `metadata.version: must be a string, not ${typeText(version)}: write the version name in quotes, or remove the field`,
  );
}

function typeText(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`.replace('object', 'map');
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
