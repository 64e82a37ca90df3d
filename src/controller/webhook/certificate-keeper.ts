import type { KubeClient } from '../../kube/client.ts';
import { type Clock, sleep } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import {
  createMaterial,
  type MaterialSource,
  type ReplaceableMaterial,
} from '../../platform/tls/material.ts';
import type { Installation } from '../manifests/installation.ts';
import { servedCertificate, trustBundle } from './authorities.ts';
import { sharedAuthorities } from './authority-store.ts';
import { publishTrust } from './trust-publisher.ts';

export interface CertificateKeeperOptions {
  client: KubeClient;
  installation: Installation;
  /** The names by which API servers reach us. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
  /** How often secret, configuration and certificate are looked at; a minute unless told. */
  intervalMs?: number;
}

/**
 * Keeps a certificate that API servers trust: looks at everything again each minute, so that renewals need no
 * restart, and what somebody deleted or replaced comes back.
 */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #material: ReplaceableMaterial | undefined;
  readonly #ready = Promise.withResolvers<MaterialSource>();

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    // Nobody has to wait for it; a stop before it is then no unhandled rejection.
    this.#ready.promise.catch(() => {});
  }

  /** Resolves with the first certificate; rejects when `run` was stopped before there was one. */
  material(): Promise<MaterialSource> {
    return this.#ready.promise;
  }

  /** Runs until `signal` aborts. Failures are logged and tried again: without a webhook, the controller repairs. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, intervalMs = 60_000 } = this.#options;
    let lastProblem: string | undefined;
    while (!signal.aborted) {
      try {
        await this.look(signal);
        lastProblem = undefined;
      } catch (err) {
        const problem = err instanceof Error ? err.message : String(err);
        if (!signal.aborted && problem !== lastProblem)
          log.warn({ err }, 'webhook certificate could not be looked after');
        lastProblem = problem;
      }
      await sleep(clock, intervalMs, signal).catch(() => {});
    }
    this.#ready.reject(signal.reason);
  }

  /** One look: what is kept, what API servers trust, what is served, in this order. */
  async look(signal: AbortSignal): Promise<void> {
    const { client, clock, installation, hosts, log } = this.#options;
    const now = clock.now();
    const authorities = await sharedAuthorities(client, installation.webhookSecret, now, signal);
    const trusted = await publishTrust(client, installation, trustBundle(authorities, now), signal);
    const served = this.#material?.current();
    const certificate = servedCertificate({ served, authorities, trusted, hosts, now });
    if (certificate === served) return;
    if (this.#material === undefined) {
      this.#material = createMaterial(certificate);
      this.#ready.resolve(this.#material);
    } else {
      this.#material.replace(certificate);
    }
    log.info({ hosts }, 'webhook certificate issued');
  }
}
