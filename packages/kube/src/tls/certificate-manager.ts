import { type Clock, sleep } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import { type Authorities, servedCertificate, trustBundle } from './authorities.ts';
import { createMaterial, type MaterialSource, type ReplaceableMaterial } from './material.ts';

export interface CertificateManagerOptions {
  /** Returns the authorities that all replicas share; creates or renews them when needed. */
  authorities: (now: number, signal: AbortSignal) => Promise<Authorities>;
  /** Publishes the trust bundle to clients; returns the previously published bundle. */
  publishTrust: (bundle: string, signal: AbortSignal) => Promise<string>;
  /** Common name of the certificate, also used in logs: `trimtab webhook`. */
  commonName: string;
  /** DNS names and IP addresses of the server. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
  /** Interval of reconciliations. Defaults to 60 s. */
  intervalMs?: number;
}

const firstRetryMs = 2_000;

/**
 * Maintains a certificate that clients trust. It reconciles every minute, so renewals need no restart, and
 * authorities or trust bundles that were deleted or replaced are restored.
 */
export class CertificateManager {
  readonly #options: CertificateManagerOptions;
  #material: ReplaceableMaterial | undefined;
  readonly #ready = Promise.withResolvers<MaterialSource>();

  constructor(options: CertificateManagerOptions) {
    this.#options = options;
    // Callers need not wait for `material`. Without this handler, a stop before the first certificate is unhandled.
    this.#ready.promise.catch(() => {});
  }

  /** Resolves when the first certificate is issued; rejects when `run` ends before that. */
  material(): Promise<MaterialSource> {
    return this.#ready.promise;
  }

  /** Runs until `signal` aborts. Failures are logged and retried. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, commonName, intervalMs = 60_000 } = this.#options;
    let lastProblem: string | undefined;
    while (!signal.aborted) {
      try {
        await this.look(signal);
        lastProblem = undefined;
      } catch (err) {
        const problem = err instanceof Error ? err.message : String(err);
        if (!signal.aborted && problem !== lastProblem)
          log.warn({ err, commonName }, 'failed to update certificate or trust bundle; retrying');
        lastProblem = problem;
      }
      // Retries soon while there is no certificate, because the server cannot start without one.
      const waitMs = this.#material === undefined ? Math.min(firstRetryMs, intervalMs) : intervalMs;
      await sleep(clock, waitMs, signal).catch(() => {});
    }
    this.#ready.reject(signal.reason);
  }

  /** Reconciles once: first the stored authorities, then the trust bundle of clients, then the served certificate. */
  async look(signal: AbortSignal): Promise<void> {
    const { clock, hosts, commonName, log } = this.#options;
    const now = clock.now();
    const authorities = await this.#options.authorities(now, signal);
    const trusted = await this.#options.publishTrust(trustBundle(authorities, now), signal);
    const served = this.#material?.current();
    const certificate = servedCertificate({ served, authorities, trusted, hosts, commonName, now });
    if (certificate === served) return;
    if (this.#material === undefined) {
      this.#material = createMaterial(certificate);
      this.#ready.resolve(this.#material);
    } else {
      this.#material.replace(certificate);
    }
    log.info({ hosts, commonName }, 'certificate issued');
  }
}
