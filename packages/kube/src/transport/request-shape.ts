import type {
  DeleteOptions,
  ListOptions,
  ObjectKey,
  Patch,
  Projection,
  RawRequest,
  ReadOptions,
  Selection,
  WatchOptions,
  WriteOptions,
} from '../client.ts';
import { apiVersion, type Resource, resourcePath } from '../resource.ts';
import type { KubeObject } from '../wire.ts';

/** The HTTP request of one call, without credentials. */
export interface RequestShape {
  /** The verb of RBAC rules and metrics. */
  verb: string;
  /** Plural of the resource, for the metrics; empty for a raw path. */
  resource: string;
  method: RawRequest['method'];
  path: string;
  query: URLSearchParams;
  accept: string;
  contentType?: string;
  body?: unknown;
}

type Query = Record<string, string | number | boolean | undefined>;

export function getShape(resource: Resource, where: ObjectKey, options: ReadOptions): RequestShape {
  const path = objectPath(resource, where);
  const query = params({ resourceVersion: options.resourceVersion });
  return shape('get', resource, 'GET', path, query, accept(options.projection, 'PartialObjectMetadata'));
}

export function listShape(resource: Resource, options: ListOptions): RequestShape {
  const query = params({
    ...selectors(options),
    limit: options.limit,
    continue: options.continue,
    // A continue token contains a resourceVersion; the server rejects a request with both.
    resourceVersion: options.continue === undefined ? options.resourceVersion : undefined,
    resourceVersionMatch: options.continue === undefined ? options.resourceVersionMatch : undefined,
  });
  const accepts = accept(options.projection, 'PartialObjectMetadataList');
  return shape('list', resource, 'GET', resourcePath(resource, scope(options)), query, accepts);
}

export function watchShape(resource: Resource, options: WatchOptions): RequestShape {
  const query = params({
    ...selectors(options),
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
    sendInitialEvents: options.sendInitialEvents,
    resourceVersionMatch: options.sendInitialEvents === undefined ? undefined : 'NotOlderThan',
  });
  const accepts = accept(options.projection, 'PartialObjectMetadata');
  return shape('watch', resource, 'GET', resourcePath(resource, scope(options)), query, accepts);
}

export function createShape(resource: Resource, object: KubeObject, options: WriteOptions): RequestShape {
  // A POST to a subresource (`token`, `eviction`) has the object's name in its path and a body of another kind.
  if (options.subresource !== undefined)
    return write('create', resource, 'POST', objectPath(resource, keyOf(object), options), options, object);
  const { namespace, name = object.metadata.generateName } = object.metadata;
  requireNamespace(resource, namespace, name);
  const path = resourcePath(resource, scope({ namespace }));
  return write('create', resource, 'POST', path, options, typed(resource, object));
}

export function updateShape(resource: Resource, object: KubeObject, options: WriteOptions): RequestShape {
  const path = objectPath(resource, keyOf(object), options);
  return write('update', resource, 'PUT', path, options, typed(resource, object));
}

const patchTypes = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is valid YAML.
  apply: 'application/apply-patch+yaml',
};

export function patchShape(
  resource: Resource,
  where: ObjectKey,
  patch: Patch,
  options: WriteOptions,
): RequestShape {
  const body = patch.type === 'json' ? patch.operations : patch.body;
  const result = write('patch', resource, 'PATCH', objectPath(resource, where, options), options, body);
  if (patch.type !== 'json' && patch.force) result.query.set('force', 'true');
  return { ...result, contentType: patchTypes[patch.type] };
}

export function deleteShape(resource: Resource, where: ObjectKey, options: DeleteOptions): RequestShape {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  const body = {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    preconditions,
    propagationPolicy,
    gracePeriodSeconds,
    dryRun: dryRun ? ['All'] : undefined,
  };
  return write('delete', resource, 'DELETE', objectPath(resource, where), {}, body);
}

export function rawShape(request: RawRequest): RequestShape {
  return {
    verb: request.method.toLowerCase(),
    resource: '',
    method: request.method,
    path: request.path,
    query: params(request.query ?? {}),
    accept: 'application/json, */*',
    ...(request.body === undefined
      ? {}
      : { body: request.body, contentType: request.contentType ?? 'application/json' }),
  };
}

function shape(
  verb: string,
  resource: Resource,
  method: RequestShape['method'],
  path: string,
  query: URLSearchParams,
  accepts = 'application/json',
): RequestShape {
  return { verb, resource: resource.plural, method, path, query, accept: accepts };
}

function write(
  verb: string,
  resource: Resource,
  method: RequestShape['method'],
  path: string,
  options: WriteOptions,
  body: unknown,
): RequestShape {
  const query = params({ dryRun: options.dryRun ? 'All' : undefined, fieldManager: options.fieldManager });
  return { ...shape(verb, resource, method, path, query), contentType: 'application/json', body };
}

function objectPath(resource: Resource, where: ObjectKey, { subresource }: WriteOptions = {}): string {
  requireNamespace(resource, where.namespace, where.name);
  return resourcePath(resource, { ...where, ...(subresource === undefined ? {} : { subresource }) });
}

/** Without a namespace, the path would address the collection in all namespaces. */
function requireNamespace(resource: Resource, namespace: string | undefined, name: string | undefined): void {
  if (resource.namespaced && namespace === undefined)
    throw new RangeError(`${resource.kind} '${name ?? ''}' requires a namespace`);
}

function keyOf(object: KubeObject): ObjectKey {
  const { name } = object.metadata;
  if (name === undefined) throw new RangeError(`${object.kind ?? 'object'} has no metadata.name`);
  return { ...scope(object.metadata), name };
}

function scope({ namespace }: { namespace?: string | undefined }): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}

function typed(resource: Resource, object: KubeObject): KubeObject {
  return { apiVersion: apiVersion(resource), kind: resource.kind, ...object };
}

function selectors(selection: Selection): Query {
  return { labelSelector: selection.labelSelector, fieldSelector: selection.fieldSelector };
}

/** Also accepts plain JSON: a server without projections returns whole objects; see metadata-projection.ts. */
function accept(projection: Projection | undefined, kind: string): string {
  return projection === 'metadata'
    ? `application/json;as=${kind};g=meta.k8s.io;v=v1, application/json`
    : 'application/json';
}

function params(query: Query): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) result.set(name, String(value));
  }
  return result;
}
