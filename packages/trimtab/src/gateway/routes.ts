import type { ConfigKind } from '../core/references/references.ts';
import { currentRoutes } from './current/routes.ts';
import type { CurrentServices } from './current/services.ts';
import { openApiRoute } from './openapi/openapi-route.ts';
import type { Route } from './route/route.ts';
import { diffRoutes } from './versions/reads/diff-routes.ts';
import { listRoutes } from './versions/reads/list-routes.ts';
import { readRoutes } from './versions/reads/read-routes.ts';
import { deleteRoutes } from './versions/writes/delete-routes.ts';
import { immutableRoutes } from './versions/writes/immutable-routes.ts';
import { namedWriteRoutes } from './versions/writes/named-write-routes.ts';
import { postRoutes } from './versions/writes/post-routes.ts';

const kinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/**
 * All routes of the gateway. The first match serves a request, so `current` comes before `{version}`. The services are
 * resolved per request, which allows the routes to be documented without services.
 */
export function allRoutes(services: () => CurrentServices): Route[] {
  const routes = kinds.flatMap((kind) => [
    ...currentRoutes(kind, services),
    ...readRoutes(kind),
    ...postRoutes(kind),
    ...namedWriteRoutes(kind),
    ...deleteRoutes(kind),
    ...immutableRoutes(kind),
    ...listRoutes(kind),
    ...diffRoutes(kind),
  ]);
  return [...routes, openApiRoute(routes)];
}

/** The routes for the generated documentation; they serve no requests. */
export function documentedRoutes(): Route[] {
  return allRoutes(() => {
    throw new Error('routes for documentation serve no requests');
  });
}
