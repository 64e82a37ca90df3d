import type { ConfigKind } from '../core/references.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import type { Route } from './route/route.ts';
import { deleteRoutes } from './versions/delete-routes.ts';
import { diffRoutes } from './versions/diff-routes.ts';
import { immutableRoutes } from './versions/immutable-routes.ts';
import { listRoutes } from './versions/list-routes.ts';
import { postRoutes } from './versions/post-routes.ts';
import { readRoutes } from './versions/read-routes.ts';

const kinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** Everything that is ours. The first that fits a request answers it, so `current` stands before `{version}`. */
export function allRoutes(): Route[] {
  const routes = kinds.flatMap((kind) => [
    ...readRoutes(kind),
    ...postRoutes(kind),
    ...deleteRoutes(kind),
    ...immutableRoutes(kind),
    ...listRoutes(kind),
    ...diffRoutes(kind),
  ]);
  return [...routes, openApiRoute(routes)];
}
