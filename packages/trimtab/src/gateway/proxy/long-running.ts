/**
 * Whether a response has no time limit: watches, followed logs, and everything below `…/proxy/`. The API server makes
 * the same distinction, by verb and subresource.
 */
export function isLongRunning(method: string, url: string): boolean {
  const [path = '', query = ''] = url.split('?', 2);
  if (/\/(pods|services|nodes)\/[^/]+\/proxy(\/|$)/.test(path)) return true;
  return method === 'GET' && (isTrue(query, 'watch') || isTrue(query, 'follow') || isOldWatch(path));
}

/** As Kubernetes reads a bool from a query: everything except `false` and `0` is true, also `?watch` alone. */
function isTrue(query: string, name: string): boolean {
  if (!query.includes(name)) return false;
  const value = new URLSearchParams(query).get(name);
  return value !== null && !['0', 'false'].includes(value.toLowerCase());
}

/** `/api/v1/watch/namespaces/…`, which old clients still use. */
function isOldWatch(path: string): boolean {
  return /^\/(api|apis\/[^/]+)\/[^/]+\/watch\//.test(path);
}
