import { type Clock, sleep } from '../clock.ts';
import type { Logger } from '../log/log.ts';
import { type Authorities, servedCertificate, trustBundle } from './authorities.ts';
import { createMaterial, type MaterialSource, type ReplaceableMaterial } from './material.ts';

export interface CertificateKeeperOptions {
  /** The authorities that all replicas share, made or renewed when needed. */
  authorities: (now: number, signal: AbortSignal) => Promise<Authorities>;
  /** Tells clients whom to trust, and answers what they trusted before. */
  publishTrust: (bundle: string, signal: AbortSignal) => Promise<string>;
  /** In the certificate, and for logs: `trimtab webhook`. */
  commonName: string;
  /** The names by which clients reach us. */
  hosts: readonly string[];
  clock: Clock;
  log: Logger;
  /** How often everything is looked at; a minute unless told. */
  intervalMs?: number;
}

const firstRetryMs = 2_000;

/**
 * Keeps a certificate that clients trust: looks at everything again each minute, so that renewals need no restart,
 * and what somebody deleted or replaced comes back.
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

  /** Runs until `signal` aborts. Failures are logged and tried again. */
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
          log.warn({ err, commonName }, 'certificate could not be looked after');
        lastProblem = problem;
      }
      // Until there is one, nothing is served at all.
      const waitMs = this.#material === undefined ? Math.min(firstRetryMs, intervalMs) : intervalMs;
      await sleep(clock, waitMs, signal).catch(() => {});
    }
    this.#ready.reject(signal.reason);
  }

  /** One look: what is kept, what clients trust, what is served, in this order. */
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
