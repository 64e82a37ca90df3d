import type { Need } from '../../core/installation/caller-needs.ts';

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/**
 * The right that a request to the API server needs, from its method and path: `GET /api/v1/namespaces/shop/secrets/foo`.
 * Undefined for a request that is not about one namespace.
 */
export function rightOf(request: string | undefined): (Need & { name?: string }) | undefined {
  const [, method = '', url = ''] = /^([A-Z]+) (\S+)$/.exec(request ?? '') ?? [];
  const [path = ''] = url.split('?');
  const found = /^\/(?:api|apis\/([^/]+))\/[^/]+\/namespaces\/[^/]+\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  if (found === null) return undefined;
  const [, group = '', resource = '', name] = found;
  const verb = method === 'GET' ? (name === undefined ? 'list' : 'get') : verbs[method];
  if (verb === undefined) return undefined;
  return { verb, group, resource, ...(name !== undefined && { name: decodeURIComponent(name) }) };
}
