import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { createRegistry, type Registry } from '@trimtab/kube/metrics/metrics.ts';
import { injected } from '../../api/injected-pod.ts';
import type { Action } from '../reload/outcome.ts';
import { authorizer } from './authorization.ts';
import { Content, etagKeyOf } from './content.ts';
import { describeCollision, type EndpointConfig } from './dictionary.ts';
import { endpointMetrics } from './endpoint-metrics.ts';
import { handleRequest, type RequestContext } from './handle-request.ts';
import { type ChangedConfig, hookAction, hookTrust } from './hook-action.ts';
import { isPodAddress } from './pod-address.ts';
import { openPodSecrets } from './pod-secrets.ts';
import { Published } from './published.ts';
import { RequestLimits } from './request-limits.ts';
import type { Subscription } from './subscription.ts';
import { Subscriptions } from './subscriptions.ts';
import { startTlsServer } from './tls-server.ts';

export interface EndpointOptions {
  /** Defaults to all addresses of the pod. */
  host?: string;
  /** With 0, the system chooses a port; see `Endpoint.port`. */
  port: number;
  podIps: readonly string[];
  /** The containers that are told about changes. */
  containers: readonly string[];
  /** Default to the paths in an injected pod. */
  privateFolder?: string;
  publicFolder?: string;
  /** The token in the pod's spec. Without it, the agent creates the token. */
  token?: string;
  log: Logger;
  metrics?: Registry;
  clock?: Clock;
}

/** The in-pod endpoint, MY_CONFIG_ENDPOINT. */
export interface Endpoint {
  port: number;
  /** Serves these configs, given in the order of the pod's references, and wakes long polls. */
  publish(configs: readonly EndpointConfig[]): void;
  subscriptions(): readonly Subscription[];
  /** Tells the subscriber about the configs that `changed` returns at the time of the request. */
  hookAction(subscription: Subscription, changed: () => readonly ChangedConfig[]): Action;
  /** Ends long polls at once with 503, and waits up to a second for other responses. */
  close(): Promise<void>;
}

const closeGraceMs = 1_000;

/** Throws an OperationalError when the port is in use or a folder cannot be written. */
export async function startEndpoint(options: EndpointOptions): Promise<Endpoint> {
  const { port, host, podIps, containers, log, clock = systemClock } = options;
  const { privateFolder = injected.paths.private, publicFolder = injected.paths.public } = options;
  const { token, certificate } = openPodSecrets({
    ...{ privateFolder, publicFolder, podIps, now: clock.now() },
    ...(options.token !== undefined && { token: options.token }),
  });
  const target = { podIps, containers };
  const subscriptions = new Subscriptions({ folder: privateFolder, target, log });
  const published = new Published(clock);
  const context: RequestContext = {
    ...{ published, subscriptions, target, clock, log },
    limits: new RequestLimits(),
    authorize: authorizer(token),
    metrics: endpointMetrics(options.metrics ?? createRegistry(), () => ({
      connections: server.connections(),
      waiting: published.waiting,
      hooks: subscriptions.list().length,
    })),
  };
  const server = await startTlsServer({
    ...{ port, material: certificate, log, clock },
    ...(host !== undefined && { host }),
    isFromPod: (address) => isPodAddress(address, podIps),
    handler: (request, response) => handleRequest(request, response, context),
  });
  log.info({ port: server.port, podIps, hooks: subscriptions.list().length }, 'in-pod endpoint listening');
  const etagKey = etagKeyOf(certificate.key);
  const defaultTrust = hookTrust(certificate.authority, { withSystem: true });
  const trusts = new WeakMap<Subscription, ReturnType<typeof hookTrust>>();
  let reported = '';

  return {
    port: server.port,
    publish(configs) {
      const content = new Content(configs, etagKey);
      published.publish(content);
      const collisions = content.collisions.map(describeCollision);
      const text = collisions.join('; ');
      if (text !== reported && text !== '') log.warn({ collisions }, 'keys of configs collide');
      reported = text;
    },
    subscriptions: () => subscriptions.list(),
    hookAction(subscription, changed) {
      const { url, ca } = subscription;
      const trust = trusts.get(subscription) ?? (ca === undefined ? defaultTrust : hookTrust(ca));
      trusts.set(subscription, trust);
      return hookAction({ url: new URL(url), token, trust, changed });
    },
    async close() {
      published.close();
      await server.close(closeGraceMs);
    },
  };
}
