import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Installation } from '../manifests/installation.ts';
import { podRequests } from '../manifests/pod-policies.ts';
import { type Found, type FoundPodAdmission, podAdmissionProblem } from './pod-admission-problem.ts';

/** Interval between observations: a few requests for the whole installation, however many workloads there are. */
const checkMs = 30_000;
/** Interval while the API server does not answer the first observation, which reconcilers and the webhook wait for. */
const retryMs = 1_000;

interface Options {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  names: Installation;
  /** The controller serves the webhook. */
  webhook: boolean;
  /** The controller runs with --mutating-policies. */
  mutatingPolicies: boolean;
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
 * What works is used with the first observation that finds it. What worked before has to be missing in two observations,
 * because an upgrade of the manifests may replace it, and a change to the other way of referencing is a rolling update.
 */
export class PodAdmission {
  readonly #options: Options;
  readonly #listeners = new Set<(namespace: string) => void>();
  /** The answers of `problem`, by namespace. */
  readonly #problems = new Map<string, string | undefined>();
  readonly #first = Promise.withResolvers<void>();
  #last: FoundPodAdmission | undefined;
  #before: FoundPodAdmission | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Why the pods of this namespace do not get the versions that their annotation assigns; undefined when they do. */
  problem(namespace: string): string | undefined {
    if (!this.#problems.has(namespace)) this.#problems.set(namespace, this.#problemIn(namespace));
    return this.#problems.get(namespace);
  }

  #problemIn(namespace: string): string | undefined {
    const [last, before] = [this.#last, this.#before].map((found) =>
      found === undefined
        ? 'the API server has not answered yet'
        : podAdmissionProblem(found, this.#options.names, namespace),
    );
    return before === undefined ? undefined : last;
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

  /** Calls `listener` with a namespace for which `problem` has another answer now. */
  subscribe(listener: (namespace: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Observes until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        this.#note(await this.#observe(signal));
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error }, 'the policies of pods could not be read; trying again');
      }
      await sleep(clock, this.#last === undefined ? retryMs : checkMs, signal).catch(() => {});
    }
  }

  #note(found: FoundPodAdmission): void {
    this.#before = this.#last ?? found;
    this.#last = found;
    this.#first.resolve();
    for (const [namespace, before] of this.#problems) {
      const problem = this.#problemIn(namespace);
      this.#problems.set(namespace, problem);
      if (problem !== before) for (const listener of this.#listeners) listener(namespace);
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
