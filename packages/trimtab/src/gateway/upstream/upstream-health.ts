import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { HealthCheck } from '@trimtab/kube/http/health-checks.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';

export interface UpstreamHealthOptions {
  /** Uses the gateway's own credentials. */
  client: KubeClient;
  clock: Clock;
  log: Logger;
  /** Ends the probes. */
  signal: AbortSignal;
}

const intervalMs = 3_000;
/** While the gateway is not ready, so that the return of the API server is noticed soon. */
const failingIntervalMs = 1_000;
const timeoutMs = 3_000;
/** One probe may be lost to a restart of one of several API servers, or to a burst of requests. */
const maxFailures = 3;

/**
 * Probes the API server and returns the readiness check: a gateway that cannot reach it should get no requests while
 * another replica can. The check fails after several failed probes in a row, and passes again after the first that
 * succeeds. Any response that is no server error counts, because the gateway's own rights are not what is probed.
 */
export function upstreamHealth({ client, clock, log, signal }: UpstreamHealthOptions): HealthCheck {
  let problem: string | undefined = 'the API server has not responded yet';
  const run = async () => {
    for (let failures = 0; !signal.aborted; ) {
      const code = await probe(client, signal);
      failures = code === undefined ? 0 : failures + 1;
      const isReachable = code === undefined;
      if (isReachable && problem !== undefined) log.info('API server is reachable');
      if (failures === maxFailures)
        log.warn({ code, failures }, 'API server cannot be reached; the gateway is not ready');
      if (isReachable) problem = undefined;
      else if (failures >= maxFailures)
        problem = `the API server cannot be reached: ${failures} probes in a row failed, the last with ${code}`;
      await sleep(clock, problem === undefined ? intervalMs : failingIntervalMs, signal);
    }
  };
  run().catch((err: unknown) => {
    if (!signal.aborted) log.error({ err }, 'probes of the API server ended');
  });
  return () => problem;
}

/** Resolves with the code of the failure. */
async function probe(client: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  try {
    await client.raw({ method: 'GET', path: '/version', signal, timeoutMs });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.status < 500 ? undefined : String(error.status);
    signal.throwIfAborted();
    return error instanceof Error && 'code' in error ? String(error.code) : 'an error';
  }
}
