import type { ClusterAccess } from '@trimtab/kube/access.ts';
import type { WatchStream } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { configResources, resourcePath } from '@trimtab/kube/resource.ts';
import { type CallContext, call, openWatch } from '@trimtab/kube/transport/call.ts';
import { ConnectionPool } from '@trimtab/kube/transport/connection-pool.ts';
import { type RequestShape, rawShape } from '@trimtab/kube/transport/request-shape.ts';
import { watchStream } from '@trimtab/kube/transport/watch-stream.ts';
import type { ConfigRef } from './config.ts';
import { podToken } from './pod-token.ts';

export interface GatewayOptions {
  url: string;
  /** PEM of the authorities of the gateway's certificate. Defaults to the public ones. */
  ca?: string;
  /** The pod-bound service account token; the kubelet replaces it. */
  tokenPath: string;
  clock: Clock;
  log: Logger;
}

/** Result of a pod for one version, as the gateway receives it. */
export interface Acknowledgement {
  object: string;
  version: string;
  result: 'Acknowledged' | 'Refused';
  reason?: string;
  sequence: number;
}

/** The gateway sends a bookmark about every 30 s, so two are missing. */
const maxSilenceMs = 75_000;
const openTimeoutMs = 10_000;
/** The gateway delays the response until the acknowledgement is recorded, for about a second. */
const acknowledgeTimeoutMs = 10_000;

/** The calls of the gateway that a pod may make. Errors are those of a KubeClient. */
export class GatewayClient {
  readonly #caller: CallContext;

  constructor({ url, ca, tokenPath, clock, log }: GatewayOptions) {
    const token = podToken(tokenPath);
    const access: ClusterAccess = {
      server: url,
      namespace: '',
      tls: async () => (ca === undefined ? {} : { ca }),
      headers: async () => ({ authorization: `Bearer ${await token()}` }),
      invalidate: () => {},
    };
    const pool = new ConnectionPool(access, clock);
    const { scheduler } = pool;
    this.#caller = {
      ...{ access, pool, scheduler, clock, log },
      ...{ metrics: undefined, userAgent: 'trimtab-agent' },
    };
  }

  /** Opens the watch of the version that this pod should run. */
  async watchCurrent(ref: ConfigRef, signal: AbortSignal): Promise<WatchStream> {
    const query = { watch: 'true', allowWatchBookmarks: 'true' };
    const shape: RequestShape = {
      ...rawShape({ method: 'GET', path: currentPath(ref), query }),
      verb: 'watch',
    };
    const open = await openWatch(this.#caller, shape, { signal, timeoutMs: openTimeoutMs });
    const { clock } = this.#caller;
    return watchStream({ ...open, clock, signal, maxSilenceMs, projection: undefined });
  }

  /** Returns whether the acknowledgement is recorded; one that is only received has to be repeated. */
  async acknowledge(ref: ConfigRef, body: Acknowledgement, signal: AbortSignal): Promise<boolean> {
    const path = `${currentPath(ref)}/ack`;
    const { status } = await call(this.#caller, rawShape({ method: 'POST', path, body }), {
      ...{ signal, timeoutMs: acknowledgeTimeoutMs },
    });
    return status !== 202;
  }

  close(): void {
    this.#caller.pool.close();
  }
}

function currentPath({ kind, namespace, name }: ConfigRef): string {
  return resourcePath(configResources[kind], { namespace, name, subresource: 'current' });
}
