import type { Clock } from '@trimtab/kube/clock.ts';
import type { Probe } from '../../objects/pod.ts';
import type { Probes, ProbeVerdict, RunningContainer } from '../pod/probe-results.ts';
import {
  afterResult,
  initialState,
  type ProbeKind,
  type ProbeResult,
  type ProbeState,
  rulesOf,
} from './probe-machine.ts';
import { runProbe } from './run-probe.ts';

export interface ContainerProbesOptions {
  clock: Clock;
  ask?: (probe: Probe, running: RunningContainer) => Promise<ProbeResult>;
}

const words = { startup: 'Startup', readiness: 'Readiness', liveness: 'Liveness' } as const;

/** The probes of all containers of this node. */
export function containerProbes(options: ContainerProbesOptions): Probes {
  const watched = new Map<string, ContainerWatch>();
  return {
    begin(running, changed) {
      watched.get(running.id)?.stop();
      watched.set(running.id, new ContainerWatch(running, options, changed));
    },
    stop: (id) => watched.get(id)?.stop(),
    forget(id) {
      watched.get(id)?.stop();
      watched.delete(id);
    },
    verdictOf: (id) => watched.get(id)?.verdict() ?? { started: false, ready: false },
  };
}

/** Probes one container: first its startup probe, and the others once that has succeeded. */
class ContainerWatch {
  readonly #running: RunningContainer;
  readonly #options: ContainerProbesOptions;
  readonly #changed: () => void;
  readonly #states = new Map<ProbeKind, ProbeState>();
  readonly #cancels = new Map<ProbeKind, () => void>();
  readonly #beganAt: number;
  #stopped = false;

  constructor(running: RunningContainer, options: ContainerProbesOptions, changed: () => void) {
    this.#running = running;
    this.#options = options;
    this.#changed = changed;
    this.#beganAt = options.clock.monotonic();
    for (const kind of ['startup', 'readiness', 'liveness'] as const)
      if (this.#probe(kind) !== undefined) this.#states.set(kind, initialState(kind));
    if (this.#states.has('startup')) this.#arrange('startup');
    else this.#beginOthers();
  }

  verdict(): ProbeVerdict {
    const is = (kind: ProbeKind) => this.#states.get(kind)?.verdict ?? 'success';
    const started = is('startup') === 'success';
    const failed = (['startup', 'liveness'] as const).find((kind) => is(kind) === 'failure');
    return { started, ready: started && is('readiness') === 'success', ...(failed && { failed }) };
  }

  stop(): void {
    this.#stopped = true;
    for (const cancel of this.#cancels.values()) cancel();
    this.#cancels.clear();
  }

  #probe(kind: ProbeKind): Probe | undefined {
    const { startupProbe, readinessProbe, livenessProbe } = this.#running.container;
    return { startup: startupProbe, readiness: readinessProbe, liveness: livenessProbe }[kind];
  }

  #beginOthers(): void {
    for (const kind of ['readiness', 'liveness'] as const) if (this.#states.has(kind)) this.#arrange(kind);
  }

  /** Schedules the first run of a probe after its initial delay, counted from the start of the container. */
  #arrange(kind: ProbeKind): void {
    const probe = this.#probe(kind);
    if (probe === undefined) return;
    const { clock } = this.#options;
    const dueInMs = Math.max(0, this.#beganAt + rulesOf(probe).initialDelayMs - clock.monotonic());
    this.#cancels.set(
      kind,
      clock.after(dueInMs, () => void this.#ask(kind, probe)),
    );
  }

  async #ask(kind: ProbeKind, probe: Probe): Promise<void> {
    const { clock, ask = runProbe } = this.#options;
    const rules = rulesOf(probe);
    const dueAt = clock.monotonic() + rules.periodMs;
    const result = await ask(probe, this.#running);
    if (this.#stopped) return;
    const before = this.#states.get(kind) ?? initialState(kind);
    const after = afterResult(before, result, rules);
    this.#states.set(kind, after);
    this.#announce(kind, result);
    const isOver =
      (kind === 'startup' && after.verdict !== 'unknown') ||
      (kind === 'liveness' && after.verdict === 'failure');
    if (!isOver) {
      const inMs = Math.max(0, dueAt - clock.monotonic());
      this.#cancels.set(
        kind,
        clock.after(inMs, () => void this.#ask(kind, probe)),
      );
    }
    if (after.verdict === before.verdict) return;
    if (kind === 'startup' && after.verdict === 'success') this.#beginOthers();
    this.#changed();
  }

  #announce(kind: ProbeKind, result: ProbeResult): void {
    if (result.is === 'success') return;
    const how = result.is === 'failure' ? 'failed' : 'errored';
    this.#running.warn('Unhealthy', `${words[kind]} probe ${how}: ${result.message}`);
  }
}
