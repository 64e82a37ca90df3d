import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Installation } from '../manifests/installation.ts';
import { podRequests } from '../manifests/pod-policies.ts';
import { type AdmissionState, isSettled, nextState, startMs, usualSettleMs } from './admission-state.ts';
import { type Found, type FoundPodAdmission, podAdmissionProblem } from './pod-admission-problem.ts';

/** Interval between observations: a few requests for the whole installation, however many workloads there are. */
const checkMs = 30_000;
/** Interval while it is not certain what the API server has, and workloads may wait for that. */
const settlingMs = 5_000;
/** Interval while the API server does not answer the first observation, which reconcilers and the webhook wait for. */
const retryMs = 1_000;
/** Observations that are kept for namespaces that are looked up for the first time: they cover longer than a problem has to last. */
const remembered = 10;

interface Observation {
  /** Monotonic time. */
  at: number;
  /** The one before it failed, or there is none. */
  isFirst: boolean;
  isYoung: boolean;
  found: FoundPodAdmission;
}

interface Options {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  names: Installation;
  /** The controller serves the webhook. */
  webhook: boolean;
  /** The controller runs with --mutating-policies. */
  mutatingPolicies: boolean;
  /** How long new policies have to be there before they count. */
  settleMs?: number;
}

const admissionResource = (kind: string, plural: string): Resource => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced: false,
});
const guards = admissionResource('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const guardBindings = admissionResource(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);
const policies = admissionResource('MutatingAdmissionPolicy', 'mutatingadmissionpolicies');
const policyBindings = admissionResource('MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicybindings');
const webhookConfigurations = admissionResource(
  'MutatingWebhookConfiguration',
  'mutatingwebhookconfigurations',
);

/**
 * Observes whether the API server has what writes versions into pods, and the guard of pods. Flags of the controller alone
 * do not tell: where the manifests were not applied, new pods would run the live config.
 *
 * A problem has to last before it counts, and so has what was just installed; see admission-state.ts. Until something is certain, workloads that want admission are left as they are.
 */
export class PodAdmission {
  readonly #options: Options;
  readonly #listeners = new Set<(namespace: string) => void>();
  /** What is known, by namespace. */
  readonly #states = new Map<string, AdmissionState>();
  #observations: Observation[] = [];
  readonly #first = Promise.withResolvers<void>();
  /** The last observation did not succeed. */
  #hasFailed = true;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Why the pods of this namespace do not get the versions that their annotation assigns; undefined when they do. What is
   * not certain may be another answer a moment later.
   */
  problem(namespace: string): string | undefined {
    const state = this.#stateOf(namespace);
    return state === undefined ? 'the API server has not answered yet' : state.problem;
  }

  /** Whether `problem` is certain: only then may the way of referencing change because of it. */
  isCertain(namespace: string): boolean {
    return this.#stateOf(namespace)?.works !== undefined;
  }

  #stateOf(namespace: string): AdmissionState | undefined {
    const known = this.#states.get(namespace);
    if (known !== undefined) return known;
    const state = this.#observations.reduce<AdmissionState | undefined>(
      (before, observation) => this.#next(namespace, before, observation),
      undefined,
    );
    if (state !== undefined) this.#states.set(namespace, state);
    return state;
  }

  get #settleMs(): number {
    return this.#options.settleMs ?? usualSettleMs;
  }

  #next(namespace: string, before: AdmissionState | undefined, { found, ...when }: Observation) {
    const problem = podAdmissionProblem(found, this.#options.names, namespace);
    return nextState(before, { ...when, problem }, this.#settleMs);
  }

  /** Resolves after the first observation. */
  async observed(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const aborted = Promise.withResolvers<void>();
    const onAbort = () => aborted.resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    await Promise.race([this.#first.promise, aborted.promise]);
    signal.removeEventListener('abort', onAbort);
  }

  /** Calls `listener` with a namespace for which an observation after the first one changes `problem` or `isCertain`. */
  subscribe(listener: (namespace: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Observes until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const startedAt = clock.monotonic();
    while (!signal.aborted) {
      try {
        this.#note(await this.#observe(signal));
      } catch (error) {
        if (signal.aborted) return;
        this.#hasFailed = true;
        log.warn({ err: error }, 'the policies of pods could not be read; trying again');
      }
      const isStarting = clock.monotonic() - startedAt < startMs;
      await sleep(clock, this.#intervalMs(isStarting), signal).catch(() => {});
    }
  }

  #intervalMs(isStarting: boolean): number {
    if (this.#observations.length === 0) return retryMs;
    return isStarting || ![...this.#states.values()].every(isSettled) ? settlingMs : checkMs;
  }

  #note(found: FoundPodAdmission): void {
    const { clock } = this.#options;
    const isYoung = youngestMs(found) > clock.now() - 2 * this.#settleMs;
    const observation = { at: clock.monotonic(), isFirst: this.#hasFailed, isYoung, found };
    this.#hasFailed = false;
    this.#observations = [...this.#observations, observation].slice(-remembered);
    this.#first.resolve();
    for (const [namespace, before] of this.#states) {
      const state = this.#next(namespace, before, observation);
      this.#states.set(namespace, state);
      if (state.problem !== before.problem || state.works !== before.works)
        for (const listener of this.#listeners) listener(namespace);
    }
  }

  async #observe(signal: AbortSignal): Promise<FoundPodAdmission> {
    const { names, mutatingPolicies, webhook } = this.#options;
    const name = `${names.prefix}-${podRequests.pods.name}`;
    const read = <T extends KubeObject>(resource: Resource, its = name): Promise<Found<T>> =>
      this.#read<T>(resource, its, signal);
    return {
      guard: await read(guards),
      guardBinding: await read(guardBindings),
      ...(mutatingPolicies && {
        policy: await read(policies),
        policyBinding: await read(policyBindings),
      }),
      ...(webhook && { webhooks: await read(webhookConfigurations, names.webhookConfiguration) }),
    };
  }

  async #read<T extends KubeObject>(
    resource: Resource,
    name: string,
    signal: AbortSignal,
  ): Promise<Found<T>> {
    try {
      return await this.#options.client.get<T>(resource, { name }, { signal });
    } catch (error) {
      // An API server that does not serve the kind answers 404, too.
      if (isNotFound(error)) return 'missing';
      if (isForbidden(error)) return 'forbidden';
      throw error;
    }
  }
}

/** When the last policy or binding was created. */
function youngestMs({ guard, guardBinding, policy, policyBinding }: FoundPodAdmission): number {
  const created = [guard, guardBinding, policy, policyBinding].map((found) =>
    typeof found === 'object' ? Date.parse(found.metadata.creationTimestamp ?? '') : Number.NaN,
  );
  return Math.max(Number.NEGATIVE_INFINITY, ...created.filter((each) => !Number.isNaN(each)));
}
