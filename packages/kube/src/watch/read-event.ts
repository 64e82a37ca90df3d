import type { KubeObject, Status } from '../wire.ts';

/** A validated line of a watch stream. Code outside this file can rely on its shape. */
export type Incoming =
  | { kind: 'object'; deleted: boolean; key: string; version: string; object: KubeObject }
  | { kind: 'bookmark'; version: string; initialEventsEnd: boolean }
  | { kind: 'error'; code: number; retryAfterSeconds?: number }
  | { kind: 'unreadable' };

const unreadable: Incoming = { kind: 'unreadable' };

export function readEvent(line: unknown): Incoming {
  if (!isRecord(line) || !isRecord(line['object'])) return unreadable;
  switch (line['type']) {
    case 'ADDED':
    case 'MODIFIED':
      return readObject(line['object'], false);
    case 'DELETED':
      return readObject(line['object'], true);
    case 'BOOKMARK':
      return readBookmark(line['object']);
    case 'ERROR':
      return readError(line['object'] as unknown as Status);
    default:
      return unreadable;
  }
}

/** Returns `namespace/name`, or `name` for cluster-scoped resources. */
export function keyOf(object: KubeObject): string {
  const { namespace, name } = object.metadata;
  return namespace === undefined || namespace === '' ? (name ?? '') : `${namespace}/${name}`;
}

function isKubeObject(value: unknown): value is KubeObject {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  const { name, resourceVersion } = value['metadata'];
  return typeof name === 'string' && name !== '' && typeof resourceVersion === 'string';
}

function readObject(object: Record<string, unknown>, deleted: boolean): Incoming {
  if (!isKubeObject(object)) return unreadable;
  return {
    kind: 'object',
    deleted,
    key: keyOf(object),
    version: object.metadata.resourceVersion ?? '',
    object,
  };
}

function readBookmark(object: Record<string, unknown>): Incoming {
  const metadata = object['metadata'];
  if (!isRecord(metadata) || typeof metadata['resourceVersion'] !== 'string') return unreadable;
  const annotations = metadata['annotations'];
  return {
    kind: 'bookmark',
    version: metadata['resourceVersion'],
    initialEventsEnd: isRecord(annotations) && annotations['k8s.io/initial-events-end'] === 'true',
  };
}

function readError(status: Status): Incoming {
  const retryAfterSeconds = status.details?.retryAfterSeconds;
  return {
    kind: 'error',
    code: typeof status.code === 'number' ? status.code : 500,
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
