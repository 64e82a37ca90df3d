import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { InjectedConfig } from '../../api/injected-pod.ts';
import { annotations, labels } from '../../api/names.ts';
import { type Assignment, agree, agreementWaitMs } from './agreement.ts';
import { usedKeys } from './birth-configs.ts';
import { type Config, type ConfigRef, configOf } from './config.ts';
import { CurrentStream } from './current-stream.ts';
import type { GatewayClient } from './gateway-client.ts';
import type { Interruption, Observed, Source } from './source.ts';

interface GatewaySourceOptions {
  client: Pick<GatewayClient, 'watchCurrent'>;
  configs: readonly InjectedConfig[];
  namespace: string;
  /** The content of a config while the gateway has not answered: of the last good set, or of the pod's birth. */
  fallback(index: number): Config | undefined;
  /** How long the gateway is waited for before `fallback` is used. */
  patienceMs: number;
  /** Called when the gateway has accepted a new stream for this config. */
  onOpen(index: number): void;
  clock: Clock;
  log: Logger;
}

/** One config of the pod. */
interface Followed {
  ref: ConfigRef;
  stream: CurrentStream;
  /** The last answer of the gateway. */
  latest: { config: Config; assigned?: string } | undefined;
  /** The part of the answers that the agent sees; configs that were assigned together are shown together. */
  shown: Config | undefined;
}

/** The versions that this pod should run, from the gateway. */
export class GatewaySource implements Source {
  readonly #options: GatewaySourceOptions;
  readonly #followed: readonly Followed[];
  readonly #fallbacks = new Map<number, Config | undefined>();
  #onChange = () => {};
  #isPatient = true;
  /** Since when the configs differ in their assignment. */
  #differSince: number | undefined;
  #cancelWait = () => {};

  constructor(options: GatewaySourceOptions) {
    this.#options = options;
    this.#followed = options.configs.map((config, index) => this.#follow(config, index));
  }

  observe(): Observed[] {
    return this.#followed.map(({ ref, shown }, index): Observed => {
      if (shown !== undefined) return { state: 'present', config: shown };
      const config = this.#isPatient ? undefined : this.#fallback(index);
      return config === undefined ? { state: 'unknown', ref } : { state: 'present', config, isAssumed: true };
    });
  }

  interruption(): Interruption | undefined {
    const failing = this.#followed.flatMap(({ stream }) => stream.interruption() ?? []);
    return failing.sort((a, b) => b.forSeconds - a.forSeconds)[0];
  }

  async run(onChange: () => void, signal: AbortSignal): Promise<void> {
    const { clock, patienceMs } = this.#options;
    this.#onChange = onChange;
    const cancel = clock.after(patienceMs, () => this.#endPatience());
    await Promise.all(this.#followed.map(({ stream }) => stream.run(signal)));
    cancel();
    this.#cancelWait();
  }

  #follow(injected: InjectedConfig, index: number): Followed {
    const { client, clock, log, namespace, onOpen } = this.#options;
    const { kind, name } = injected;
    const ref = { kind, namespace, name };
    const stream = new CurrentStream({
      ...{ client, ref, clock, log },
      onVersion: (object) => this.#take(index, injected, object),
      onOpen: () => onOpen(index),
      onFailure: () => this.#endPatience(),
    });
    return { ref, stream, latest: undefined, shown: undefined };
  }

  #take(index: number, injected: InjectedConfig, object: KubeObject): void {
    const followed = this.#followed[index];
    if (followed === undefined) return;
    const { metadata } = object as { metadata: KubeObject['metadata'] & { version?: string } };
    const assigned = metadata.annotations?.[labels.assigned];
    const config = usedKeys(injected, {
      ...configOf(followed.ref, object),
      version: metadata.version ?? '',
      // A config that is not managed has no versions; its content is the config itself.
      object: metadata.annotations?.[annotations.object] ?? followed.ref.name,
    });
    followed.latest = { config, ...(assigned !== undefined && { assigned }) };
    this.#show();
  }

  /** Shows the latest answers as soon as they agree, or have differed for long enough. */
  #show(): void {
    const { clock } = this.#options;
    const assignments = this.#followed.map(
      ({ latest }): Assignment => ({
        hasAnswered: latest !== undefined,
        ...(latest?.assigned !== undefined && { assigned: latest.assigned }),
      }),
    );
    this.#cancelWait();
    const waitMs = agreementWaitMs(assignments, this.#differSince, clock.monotonic());
    this.#differSince = agree(assignments) ? undefined : (this.#differSince ?? clock.monotonic());
    if (waitMs > 0) {
      this.#cancelWait = clock.after(waitMs, () => this.#show());
      return;
    }
    for (const followed of this.#followed) followed.shown = followed.latest?.config;
    this.#onChange();
  }

  /** The gateway does not answer at the start, so the agent goes on without it. */
  #endPatience(): void {
    if (!this.#isPatient) return;
    this.#isPatient = false;
    this.#onChange();
  }

  #fallback(index: number): Config | undefined {
    if (!this.#fallbacks.has(index)) this.#fallbacks.set(index, this.#options.fallback(index));
    return this.#fallbacks.get(index);
  }
}
