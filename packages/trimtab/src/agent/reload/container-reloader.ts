import type { Clock } from '@trimtab/kube/clock.ts';
import type { ContainerReload, ContainerVerify, ReloadAction } from '../../api/injected-pod.ts';
import { type ChangedConfig, hookAction } from '../endpoint/hook-action.ts';
import { changedConfigs } from './changed-configs.ts';
import { httpAction } from './http-action.ts';
import { type Action, type Outcome, refused, succeeded } from './outcome.ts';
import type { ApplicationReloader, ReloadRequest, ReloadResult, TellRequest } from './reloader.ts';
import { runUntil } from './run-until.ts';
import { signalContainer } from './signal-container.ts';
import { signalName } from './signal-effect.ts';

/** The hooks that a container has subscribed; `undefined` stands for hooks whose container is not known. */
export type HooksOf = (
  container: string | undefined,
  changed: () => readonly ChangedConfig[],
) => readonly Action[];

export interface ContainerReloaderOptions {
  reload: readonly ContainerReload[];
  verify: readonly ContainerVerify[];
  /** Called at each reload. A container with hooks is told by them alone. */
  hooksOf: HooksOf;
  /** A volume that all containers of the pod mount; processes are selected by it. */
  publicVolume: string;
  /** Whether containers may run already before the first set is complete: after a restart of the agent. */
  mayRunBefore: boolean;
  clock: Clock;
  timings: ContainerTimings;
}

export interface ContainerTimings {
  /** Time for one request. */
  attemptMs: number;
  /** Time for the containers to acknowledge a set. */
  acknowledgeMs: number;
  /** Time for the containers to read the last good set again. */
  restoreMs: number;
}

/** What tells one container. */
interface Target {
  /** Containers with the same request are told by one request. */
  key: string;
  container: string | undefined;
  actions: readonly Action[];
  /** Whether the application gives its reason in the body of its response. */
  explains: boolean;
}

type Failure = Extract<Outcome, { ok: false }>;

/**
 * Tells the containers of an injected pod about changes, all at the same time, and verifies the result. All must succeed.
 * A container that does not answer is told again until the time for the acknowledgement is over, which is a refusal.
 */
export class ContainerReloader implements ApplicationReloader {
  readonly #options: ContainerReloaderOptions;
  /** The containers that may have read a set which is not accepted. */
  readonly #touched = new Set<string | undefined>();
  readonly #signals = new Map<string, Action>();

  constructor(options: ContainerReloaderOptions) {
    this.#options = options;
  }

  async reload(request: ReloadRequest): Promise<ReloadResult> {
    const { mayRunBefore, clock, timings } = this.#options;
    // Containers start after the agent is ready, so nothing runs that could be told.
    if (!request.isReady && !mayRunBefore) return { outcome: succeeded, wasTold: false };
    const deadline = clock.monotonic() + timings.acknowledgeMs;
    const targets = this.#targets(request);
    const told = await Promise.all(targets.map((target) => this.#tell(target, request, deadline)));
    targets.forEach(({ container }, index) => {
      const outcome = told[index];
      if (outcome?.ok || outcome?.isUntouched !== true) this.#touched.add(container);
    });
    const failed = firstFailure(told) ?? firstFailure(await this.#verify(request, deadline));
    if (failed === undefined) {
      this.#touched.clear();
      return { outcome: succeeded, wasTold: true };
    }
    const isSuperseded = failed.kind === 'unreachable' && request.superseded?.aborted === true;
    return {
      outcome: isSuperseded ? failed : { ...failed, kind: 'refused' },
      wasTold: this.#touched.size > 0,
    };
  }

  verifyFiles(): Promise<Outcome> {
    return Promise.resolve(succeeded);
  }

  async tell(request: TellRequest): Promise<Outcome> {
    const { clock, timings } = this.#options;
    const deadline = clock.monotonic() + timings.restoreMs;
    // After a restart of the agent, it is not known which containers have read the other set.
    const isKnown = this.#touched.size > 0;
    const targets = this.#targets(request).filter(
      ({ container }) => !isKnown || this.#touched.has(container),
    );
    const told = await Promise.all(targets.map((target) => this.#tell(target, request, deadline)));
    const failed = firstFailure(told.filter((outcome) => isKnown || outcome.ok || !outcome.isUntouched));
    if (failed === undefined) this.#touched.clear();
    return failed ?? succeeded;
  }

  #targets({ sources, previous }: TellRequest): Target[] {
    const { reload, hooksOf } = this.#options;
    const changed = changedConfigs(sources, previous);
    const targets = reload.map(({ container, action }): Target => {
      const hooks = hooksOf(container, () => changed);
      if (hooks.length > 0)
        return { key: `hooks of ${container}`, container, actions: hooks, explains: true };
      const actions = this.#actionOf(container, action, changed);
      const key = action.by === 'signal' ? `signal to ${container}` : JSON.stringify(action);
      return { key, container, actions, explains: action.by === 'webhook' };
    });
    const others = hooksOf(undefined, () => changed);
    targets.push({ key: 'other hooks', container: undefined, actions: others, explains: true });
    return uniqueBy(targets, ({ key }) => key).filter(({ actions }) => actions.length > 0);
  }

  #actionOf(container: string, action: ReloadAction, changed: readonly ChangedConfig[]): Action[] {
    switch (action.by) {
      case 'signal':
        return [this.#signalAction(container, action.signal)];
      case 'http':
        return [httpAction({ url: new URL(action.url), method: action.method })];
      case 'webhook':
        return [hookAction({ url: new URL(action.url), changed: () => changed })];
      case 'pull':
        return [];
    }
  }

  /** One action for each container, because it remembers the process. */
  #signalAction(container: string, name: string): Action {
    const signal = signalName(name);
    if (signal === undefined) return failing(`${name} is not a signal`);
    const volume = this.#options.publicVolume;
    const action = this.#signals.get(container) ?? signalContainer({ signal, container, volume });
    this.#signals.set(container, action);
    return action;
  }

  async #tell(
    { container, actions, explains }: Target,
    request: TellRequest,
    deadline: number,
  ): Promise<Outcome> {
    const outcomes = await Promise.all(
      actions.map((action) => this.#runUntil(action, request.writtenAtTicks, request, deadline)),
    );
    const failed = firstFailure(outcomes);
    if (failed === undefined) return succeeded;
    // One of several hooks may have arrived.
    const isUntouched = outcomes.every((outcome) => !outcome.ok && outcome.isUntouched === true);
    return { ...named(container, failed, explains && !hasSecret(request)), isUntouched };
  }

  #verify(request: ReloadRequest, deadline: number): Promise<Outcome[]> {
    return Promise.all(
      uniqueBy(this.#options.verify, ({ method, url }) => `${method} ${url}`).map(
        async ({ container, method, url }) => {
          const action = httpAction({ url: new URL(url), method });
          const outcome = await this.#runUntil(action, Number.POSITIVE_INFINITY, request, deadline);
          return outcome.ok ? outcome : named(container, outcome, false);
        },
      ),
    );
  }

  #runUntil(
    action: Action,
    writtenAtTicks: number,
    { superseded, signal }: TellRequest,
    deadline: number,
  ): Promise<Outcome> {
    const { clock, timings } = this.#options;
    return runUntil(action, writtenAtTicks, {
      ...{ clock, attemptMs: timings.attemptMs, deadline, signal },
      ...(superseded && { superseded }),
    });
  }
}

function firstFailure(outcomes: readonly Outcome[]): Failure | undefined {
  const failures = outcomes.filter((outcome): outcome is Failure => !outcome.ok);
  return failures.find(({ kind }) => kind === 'refused') ?? failures[0];
}

/** The text of a web hook is meant as the reason; it is left out when it may quote a Secret. */
function named(container: string | undefined, failure: Failure, isShown: boolean): Failure {
  const where = container === undefined ? '' : `container ${container}: `;
  const reason = isShown && failure.output !== undefined ? `: ${failure.output}` : '';
  return { ...failure, message: `${where}${failure.message}${reason}` };
}

function hasSecret({ sources, previous }: TellRequest): boolean {
  return [...sources, ...previous].some(({ kind }) => kind === 'Secret');
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}

function failing(message: string): Action {
  return { name: message, run: async () => refused(message) };
}
