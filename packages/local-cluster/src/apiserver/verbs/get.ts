import { notFound } from '../errors/status-error.ts';
import { renderObject } from '../representation/render.ts';
import { checkNotTooNew, parseVersion } from './resource-version.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

export function get({ kind, info, query, services, render }: VerbRequest): Answer {
  const version = parseVersion(query.get('resourceVersion') ?? '', 'get');
  checkNotTooNew(version, services.storage.store.revision);
  const stored = services.storage.text(kind, info.namespace, info.name ?? '');
  if (stored === undefined) throw notFound(kind, info.name ?? '');
  return { code: 200, body: renderObject(kind, stored.value, render) };
}
