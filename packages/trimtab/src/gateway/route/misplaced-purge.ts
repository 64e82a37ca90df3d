import { longestName, shortened } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';

/**
 * Throws for a DELETE with `purge` that would delete configs instead of versions. Kubernetes ignores the parameter, so
 * the request must not reach the API server. The API server decodes the whole path and ignores slashes at its end.
 */
export function refuseMisplacedPurge(method: string, path: string, query: URLSearchParams): void {
  if (method !== 'DELETE' || !query.has('purge')) return;
  const [api, version, namespaces, namespace, plural, name, ...rest] = segmentsOf(path);
  if (api !== 'api' || version !== 'v1' || namespaces !== 'namespaces' || rest.length > 0) return;
  if (plural !== 'configmaps' && plural !== 'secrets') return;
  const collection = `/api/v1/namespaces/${shortened(namespace ?? '', longestName)}/${plural}`;
  const config = `${collection}/${name === undefined ? '{name}' : shortened(name, longestName)}`;
  const what =
    name === undefined
      ? `all ${plural} of the namespace`
      : `the ${singular[plural]} itself, not its versions`;
  throw badRequest(
    `the parameter purge applies to versions, and this path names ${what}; nothing was deleted. To purge one version, use DELETE ${config}/{version}?purge=true; to purge all versions that nothing runs, use DELETE ${config}/?purge=true`,
  );
}

const singular = { configmaps: 'ConfigMap', secrets: 'Secret' };

function segmentsOf(path: string): string[] {
  try {
    return decodeURIComponent(path).split('/').filter(Boolean);
  } catch {
    // The API server refuses such a path.
    return [];
  }
}
