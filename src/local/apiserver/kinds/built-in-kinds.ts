import { configMap } from './core/config-map.ts';
import { event } from './core/event.ts';
import { namespace } from './core/namespace.ts';
import { node } from './core/node.ts';
import { secret } from './core/secret.ts';
import { service } from './core/service.ts';
import { serviceAccount } from './core/service-account.ts';
import type { Kind } from './kind.ts';

/** Everything that is served before anybody defines a kind of their own. */
export const builtInKinds: readonly Kind[] = [configMap, event, namespace, node, secret, service, serviceAccount];
