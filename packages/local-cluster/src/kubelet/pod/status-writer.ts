import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, sleep } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { pods } from '@trimtab/kube/resource.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { type LocalPorts, localPortsAnnotation, localPortsText } from '../../objects/local-ports.ts';
import type { Pod, PodStatus } from '../../objects/pod.ts';
import { hasChanged } from './status-changes.ts';

interface StatusWriterOptions {
  client: KubeClient;
  clock: Clock;
  log: Logger;
  pod: Pod;
  /** What its ports are on this machine, when that is known. */
  ports(): LocalPorts | undefined;
  signal: AbortSignal;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;
/** How long what is no news waits for some. */
const dullMs = 100;

/**
 * Brings the newest status of one pod to the server; what was overtaken is not written. What nobody waits for may be
 * overtaken for a moment: a container that starts at once, or ends at once, costs one write.
 */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  #wanted: PodStatus | undefined;
  #wantedText = '';
  #written: PodStatus;
  #writtenText = '';
  #cancelWait: (() => void) | undefined;
  #writing: Promise<void> | undefined;
  #isGone = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
    this.#written = options.pod.status ?? {};
  }

  /** What was asked for last, or else what the server has. */
  get known(): PodStatus {
    return this.#wanted ?? this.#options.pod.status ?? {};
  }

  want(status: PodStatus): void {
    const text = JSON.stringify(status);
    if (text === this.#wantedText) return;
    [this.#wanted, this.#wantedText] = [status, text];
    if (hasChanged(this.#written, status)) this.#begin();
    else this.#cancelWait ??= this.#options.clock.after(dullMs, () => this.#begin());
  }

  /** Resolves when nothing is left to write, or nobody is there to write to. */
  async flush(): Promise<void> {
    this.#begin();
    await this.#writing;
  }

  #begin(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    const { clock, log, signal } = this.#options;
    // What is decided in the same turn becomes one write.
    await Promise.resolve();
    let delayMs = firstDelayMs;
    while (this.#wantedText !== this.#writtenText && !this.#isGone && !signal.aborted) {
      const [status, text] = [this.#wanted, this.#wantedText];
      try {
        await this.#patch(status ?? {});
        this.#written = status ?? {};
        this.#writtenText = text;
        delayMs = firstDelayMs;
      } catch (err) {
        // A conflict: the name belongs to another pod by now.
        this.#isGone = isNotFound(err) || isConflict(err);
        if (this.#isGone || signal.aborted) break;
        log.warn({ err, object: this.#options.pod.metadata }, 'pod status not written');
        await sleep(clock, delayMs, signal).catch(() => {});
        delayMs = Math.min(delayMs * 2, maxDelayMs);
      }
    }
    this.#writing = undefined;
  }

  async #patch(status: PodStatus): Promise<void> {
    const { client, pod, ports, signal } = this.#options;
    const { name = '', namespace = '', uid } = pod.metadata;
    // Together with the address: who sees that finds the ports, too.
    const body = { metadata: { uid, ...portsPatch(pod, ports()) }, status: patchOf(status) };
    const patch = { type: 'strategic', body } as const;
    await client.patch(pods, { namespace, name }, patch, { subresource: 'status', signal });
  }
}

/** Empty for a pod with an address of its own, unless it has had to share one before. */
function portsPatch({ metadata }: Pod, ports: LocalPorts | undefined): object {
  const isSaid = metadata.annotations?.[localPortsAnnotation] !== undefined;
  if (ports === undefined || (ports.size === 0 && !isSaid)) return {};
  return { annotations: { [localPortsAnnotation]: ports.size === 0 ? null : localPortsText(ports) } };
}

/** Conditions of others stay as they are; what ours have no more is taken away. */
function patchOf(status: PodStatus): object {
  return {
    reason: null,
    message: null,
    ...status,
    // A list of addresses is merged by the address; those that it has no more would stay.
    ...(status.podIPs && { podIPs: [...status.podIPs, { $patch: 'replace' }] }),
    conditions: status.conditions?.map((each) => ({ reason: null, message: null, ...each })) ?? [],
  };
}
