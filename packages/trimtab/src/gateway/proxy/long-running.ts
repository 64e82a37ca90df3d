import { queryFlag } from '../request/query-flag.ts';

/**
 * Whether a response has no time limit: watches, logs, and everything below `…/proxy/`. The API server makes the same
 * distinction, by verb and subresource: `watch` on the path of one object, for example, has no effect.
 */
export function isLongRunning(method: string, url: string): boolean {
  const mark = url.indexOf('?');
  const resource = resourceOf(mark < 0 ? url : url.slice(0, mark));
  if (resource === undefined) return false;
  const { plural, name, subresource, isOldWatch } = resource;
  if (subresource === 'proxy') return ['pods', 'services', 'nodes'].includes(plural);
  if (method !== 'GET') return false;
  if (isOldWatch || (subresource === 'log' && plural === 'pods')) return true;
  return name === undefined && mark >= 0 && queryFlag(new URLSearchParams(url.slice(mark + 1)), 'watch');
}

interface RequestedResource {
  plural: string;
  name: string | undefined;
  subresource: string | undefined;
  /** `/api/v1/watch/namespaces/…`, which old clients still use. */
  isOldWatch: boolean;
}

/** As the API server reads a path. Undefined for a path that names no resource, such as `/version`. */
function resourceOf(path: string): RequestedResource | undefined {
  const [root, ...parts] = withoutSlashesAround(decoded(path)).split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  const inVersion = parts.slice(root === 'api' ? 1 : 2);
  const isOldWatch = inVersion[0] === 'watch' && inVersion.length > 1;
  const [first, ...rest] = isOldWatch ? inVersion.slice(1) : inVersion;
  if (first === undefined) return undefined;
  const [, plural, ...others] = first === 'namespaces' ? rest : [];
  const isNamespaced = plural !== undefined && plural !== 'status' && plural !== 'finalize';
  const [name, subresource] = isNamespaced ? others : rest;
  return { plural: isNamespaced ? plural : first, name, subresource, isOldWatch };
}

/** The pattern `/\/+$/` would need seconds for a path with many slashes before its last segment. */
function withoutSlashesAround(path: string): string {
  let start = 0;
  let end = path.length;
  while (start < end && path[start] === '/') start += 1;
  while (end > start && path[end - 1] === '/') end -= 1;
  return path.slice(start, end);
}

function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
