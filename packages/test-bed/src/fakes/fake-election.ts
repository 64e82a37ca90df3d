import type { Work } from '@trimtab/kube/lease/lead.ts';
import { type Candidacy, type LeaderOptions, runAsLeader } from '@trimtab/kube/lease/run-as-leader.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { FakeLeaseServer } from './fake-lease-server.ts';
import { ManualClock } from './manual-clock.ts';

/** An election with a manual clock and a fake Lease server that can fail. */
export class FakeElection {
  readonly lease = { namespace: 'trimtab', name: 'controller' };
  readonly clock = new ManualClock();
  readonly server = new FakeLeaseServer(this.clock);
  readonly #shutdowns: AbortController[] = [];

  candidate(
    identity: string,
    work: Work,
    more: Partial<LeaderOptions> = {},
  ): Candidacy & { shutdown(): void } {
    const shutdown = new AbortController();
    this.#shutdowns.push(shutdown);
    const { clock, lease, server } = this;
    const options = { client: server.client(), lease, identity, clock, log: silentLogger, ...more };
    const candidacy = runAsLeader({ ...options, signal: shutdown.signal }, work);
    // Tests of failures await `ended` themselves. For other tests a rejection must not be unhandled.
    candidacy.ended.catch(() => {});
    return { ...candidacy, shutdown: () => shutdown.abort() };
  }

  holder(): unknown {
    return this.server.lease?.spec?.['holderIdentity'];
  }

  async end(): Promise<void> {
    for (const shutdown of this.#shutdowns) shutdown.abort();
    await this.clock.advance(60_000);
  }
}

/** Work that stops as soon as its signal aborts, and records its start and stop. */
export function stopsWhenAsked() {
  const diary: string[] = [];
  const work: Work = (signal) =>
    new Promise((resolve) => {
      diary.push('started');
      signal.addEventListener('abort', () => {
        diary.push('stopped');
        resolve();
      });
    });
  return { diary, work };
}

/** Work that ignores its signal and stops when the test calls `finish`. */
export function ignoresStop() {
  const told: boolean[] = [];
  let finish: (error?: Error) => void = () => {};
  let holds: () => boolean = () => false;
  const work: Work = (signal, leadership) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => told.push(true));
      holds = leadership.holds;
      finish = (error) => (error ? reject(error) : resolve());
    });
  return { told, work, finish: (error?: Error) => finish(error), holds: () => holds() };
}
