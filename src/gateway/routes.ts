import type { ConfigKind } from '../core/references.ts';
import { currentRoutes } from './current/routes.ts';
import type { CurrentServices } from './current/services.ts';
import type { Route } from './route/route.ts';
import { readRoutes } from './versions/read-routes.ts';

const kinds: readonly ConfigKind[] = ['ConfigMap', 'Secret'];

/** Everything that is ours. The first that fits a request answers it, so `current` stands before `{version}`. */
export function allRoutes(services: CurrentServices): Route[] {
  return kinds.flatMap((kind) => [...currentRoutes(kind, services), ...readRoutes(kind)]);
}
