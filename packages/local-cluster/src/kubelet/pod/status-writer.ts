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
  /** Local ports of the pod; undefined while they are not known. */
  ports(): LocalPorts | undefined;
  signal: AbortSignal;
}

const firstDelayMs = 100;
const maxDelayMs = 5_000;
/** Delay of a minor change, so that it can be written together with a major one. */
const dullMs = 100;

/**
 * Writes the latest status of one pod to the API server; superseded statuses are skipped. A minor change is delayed
 * briefly, so that a container that starts or ends at once costs a single write.
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

  /** The last requested status, or else that of the API server. */
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

  /** Resolves when the latest status is written or the pod no longer exists. */
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
    // Requests of the same synchronous pass are combined into one write.
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
        // A conflict means that the name now belongs to another pod.
        this.#isGone = isNotFound(err) || isConflict(err);
        if (this.#isGone || signal.aborted) break;
        log.warn({ err, object: this.#options.pod.metadata }, 'update of pod status failed; retrying');
        await sleep(clock, delayMs, signal).catch(() => {});
        delayMs = Math.min(delayMs * 2, maxDelayMs);
      }
    }
    this.#writing = undefined;
  }

  async #patch(status: PodStatus): Promise<void> {
    const { client, pod, ports, signal } = this.#options;
    const { name = '', namespace = '', uid } = pod.metadata;
    // The ports are written together with the address, so that clients never see one without the other.
    const body = { metadata: { uid, ...portsPatch(pod, ports()) }, status: patchOf(status) };
    const patch = { type: 'strategic', body } as const;
    await client.patch(pods, { namespace, name }, patch, { subresource: 'status', signal });
  }
}

/** Empty for a pod with its own address, unless an annotation of a formerly shared address must be removed. */
function portsPatch({ metadata }: Pod, ports: LocalPorts | undefined): object {
  const isSaid = metadata.annotations?.[localPortsAnnotation] !== undefined;
  if (ports === undefined || (ports.size === 0 && !isSaid)) return {};
  return { annotations: { [localPortsAnnotation]: ports.size === 0 ? null : localPortsText(ports) } };
}

/** Keeps the conditions of other writers, and removes fields that the kubelet's conditions no longer have. */
function patchOf(status: PodStatus): object {
  return {
    reason: null,
    message: null,
    ...status,
    // The list of addresses is merged by address, so without the directive old addresses would remain.
    ...(status.podIPs && { podIPs: [...status.podIPs, { $patch: 'replace' }] }),
    conditions: status.conditions?.map((each) => ({ reason: null, message: null, ...each })) ?? [],
  };
}
