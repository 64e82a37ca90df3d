export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** The verb and target of an API request, parsed from method and URL as the API server does. */
export interface RequestInfo {
  verb: Verb;
  /** '' for non-resource paths, such as /version. */
  resource: string;
  group: string;
  namespace?: string;
  name?: string;
  subresource?: string;
  dryRun: boolean;
  path: string;
  /** The test's name for this write, when the proxy has a `siteOf` function. */
  site?: string;
}

export function requestInfo(method: string, url: string): RequestInfo {
  const { pathname, searchParams } = new URL(url, 'http://api');
  const target = resourceOf(pathname.split('/').filter((part) => part !== ''));
  const watching = ['true', '1'].includes(searchParams.get('watch') ?? '');
  return {
    resource: '',
    group: '',
    ...target,
    verb: verbOf(method, target === undefined || target.name !== undefined, watching),
    dryRun: searchParams.has('dryRun'),
    path: pathname,
  };
}

/** Whether the request changes stored objects. Dry runs, reviews and token requests do not. */
export function isWrite(request: RequestInfo): boolean {
  if (request.verb === 'get' || request.verb === 'list' || request.verb === 'watch') return false;
  return !request.dryRun && !request.resource.endsWith('reviews') && request.subresource !== 'token';
}

/** Describes a request for reports: `patch configmaps ns/foo`. */
export function describeRequest(request: RequestInfo): string {
  if (request.resource === '') return `${request.verb} ${request.path}`;
  const resource = request.subresource ? `${request.resource}/${request.subresource}` : request.resource;
  const where = [request.namespace, request.name].filter((part) => part !== undefined).join('/');
  const what = where === '' ? `${request.verb} ${resource}` : `${request.verb} ${resource} ${where}`;
  return request.site === undefined ? what : `${request.site}: ${what}`;
}

type Target = Pick<RequestInfo, 'resource' | 'group' | 'namespace' | 'name' | 'subresource'>;

function resourceOf(parts: string[]): Target | undefined {
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const group = core ? '' : (parts[1] ?? '');
  const rest = parts.slice(core ? 2 : 3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [resource, name, ...subresource] = namespaced ? rest.slice(2) : rest;
  if (resource === undefined) return undefined;
  return {
    resource,
    group,
    ...(namespaced && rest[1] !== undefined ? { namespace: decodeURIComponent(rest[1]) } : {}),
    ...(name === undefined ? {} : { name: decodeURIComponent(name) }),
    ...(subresource.length === 0 ? {} : { subresource: subresource.join('/') }),
  };
}

function verbOf(method: string, named: boolean, watching: boolean): Verb {
  if (method === 'POST') return 'create';
  if (method === 'PUT') return 'update';
  if (method === 'PATCH') return 'patch';
  if (method === 'DELETE') return named ? 'delete' : 'deletecollection';
  if (watching) return 'watch';
  return named ? 'get' : 'list';
}
