/** The parsed path of a request. Whether the resource exists is checked later. */
export interface RequestInfo {
  /** `create`, `get`, `list`, `watch`, `update`, `patch`, `delete`, `deletecollection`; for other paths the method. */
  verb: string;
  isResource: boolean;
  path: string;
  group: string;
  version: string;
  /** Plural. */
  resource: string;
  subresource: string;
  namespace: string | undefined;
  name: string | undefined;
}

/** Returns undefined when the path cannot be decoded. */
export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo | undefined {
  const nothing = {
    group: '',
    version: '',
    resource: '',
    subresource: '',
    namespace: undefined,
    name: undefined,
  };
  const other: RequestInfo = { verb: method.toLowerCase(), isResource: false, path, ...nothing };
  const parts = decodeParts(path);
  // A name of dots is refused: code that decodes the path again would take it for a relative path segment.
  if (parts === undefined || parts.some((part) => part === '.' || part === '..')) return undefined;
  const [root, ...rest] = parts;
  const groupVersion =
    root === 'api'
      ? ['', rest.shift()]
      : root === 'apis'
        ? [rest.shift(), rest.shift()]
        : [undefined, undefined];
  const [group, version] = groupVersion;
  if (group === undefined || version === undefined || rest.length === 0) return other;
  // `/api/v1/watch/configmaps` is the deprecated form of `?watch=true`.
  const isOldWatch = rest[0] === 'watch' && rest.length > 1;
  if (isOldWatch) rest.shift();

  let namespace: string | undefined;
  // `namespaces/x` and its subresources address the Namespace itself; any longer path addresses objects in it.
  const isWithin =
    rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  if (isWithin) {
    namespace = rest[1];
    rest.splice(0, 2);
  } else if (rest[0] === 'namespaces' && rest.length > 1) namespace = rest[1];
  const [resource = '', name, ...deeper] = rest;
  const isNamespace = resource === 'namespaces' && !isWithin;
  return {
    verb: isOldWatch ? 'watch' : verbOf(method, name, query),
    isResource: true,
    path,
    group,
    version,
    resource,
    subresource: deeper.join('/'),
    namespace: isNamespace ? undefined : namespace,
    name,
  };
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): string {
  switch (method) {
    case 'GET':
      if (name !== undefined) return 'get';
      return isTrue(query.get('watch')) ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}

/** Parses a boolean parameter as Kubernetes does: true when present and neither `false` nor `0`. */
export function isTrue(value: string | null): boolean {
  return value !== null && value !== 'false' && value !== '0';
}

function decodeParts(path: string): string[] | undefined {
  try {
    return path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
