import { sleep } from '@trimtab/kube/clock.ts';
import { pods } from '@trimtab/kube/resource.ts';
import { isConflict, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { localPortsText } from '../../objects/local-ports.ts';
import type { Pod } from '../../objects/pod.ts';
import type { LogOptions } from '../logs/read-log.ts';
import type { ForwardTarget } from '../port-forward/forward-session.ts';
import { ContainerUnreachable } from '../server/container-access.ts';
import { containersOf } from './container-roles.ts';
import { containerScheme } from './container-status.ts';
import { Containers } from './containers.ts';
import { findLog } from './find-log.ts';
import type { KubeletServices, PodAddress } from './kubelet-services.ts';
import { type PodPlan, planPod, podText } from './plan-pod.ts';
import { addressIn, PodFolder, type PodState } from './pod-folder.ts';
import { PodSetup } from './pod-setup.ts';
import { podStatus } from './pod-status.ts';
import type { PodView } from './pod-view.ts';
import type { RunningContainer } from './probe-results.ts';
import { StatusWriter } from './status-writer.ts';

const maxSyncIntervalMs = 3_600_000;

/**
 * Runs one pod. On every change it observes the pod, plans, acts and writes the status. One such sync is synchronous;
 * operations that take time run concurrently and trigger the next sync when they complete.
 */
export class PodWorker {
  readonly #services: KubeletServices;
  readonly #folder: PodFolder;
  readonly #containers: Containers;
  readonly #setup: PodSetup;
  readonly #writer: StatusWriter;
  readonly #ending = new AbortController();
  readonly #over = new AbortController();
  readonly #done = Promise.withResolvers<void>();
  #pod: Pod;
  #state: PodState;
  #leaving: PodView['leaving'];
  #patienceSeconds: number | undefined;
  readonly #isSilent: boolean;
  #isAwake = false;
  #cancelTimer: () => void = () => {};
  #release: Promise<void> | undefined;
  #departure: Promise<void> | undefined;
  #confirmation: Promise<void> | undefined;

  constructor(services: KubeletServices, pod: Pod, known: PodState | undefined) {
    this.#services = services;
    this.#pod = pod;
    const { uid = '', namespace = '', name = '' } = pod.metadata;
    const startedAt = Date.parse(pod.status?.startTime ?? '') || services.clock.now();
    this.#state = known ?? { uid, namespace, name, startedAt, containers: {} };
    this.#folder = new PodFolder(services.podsDir, uid);
    const { client, clock, log } = services;
    this.#writer = new StatusWriter({
      client,
      clock,
      log,
      pod,
      ports: () => (this.#setup.isReady ? this.#setup.address?.ports : undefined),
      signal: this.#over.signal,
    });
    this.#containers = new Containers({
      services,
      folder: this.#folder,
      known: this.#state.containers,
      pod: () => this.#pod,
      address: () => this.#setup.address ?? { ip: '', ports: new Map() },
      save: () => this.#save(),
      wake: () => this.wake(),
      ending: this.#ending.signal,
    });
    this.#setup = new PodSetup({
      services,
      folder: this.#folder,
      pod: () => this.#pod,
      had: known && addressIn(known),
      save: (address) => this.#save(address),
      wake: () => this.wake(),
      signal: this.#ending.signal,
    });
    const isFinished = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    // The kubelet has no state of a finished pod that another writer completed, so it leaves the pod's status as it is.
    this.#isSilent = isFinished && known === undefined;
    if (!isFinished && Object.keys(known?.containers ?? {}).length > 0)
      services.tell(
        pod,
        'Normal',
        'SandboxChanged',
        'Pod sandbox changed, it will be killed and re-created.',
      );
    this.wake();
  }

  /** Resolves when the pod needs no more work: its object is gone, or the kubelet shuts down. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  get pod(): Pod {
    return this.#pod;
  }

  update(pod: Pod): void {
    this.#pod = pod;
    this.wake();
  }

  /** Called when the object is gone: stops remaining processes and removes the pod's data. */
  objectGone(): void {
    this.#leaving = 'object-gone';
    this.wake();
  }

  /** Called when the kubelet shuts down; may be called again with a shorter limit. */
  leave(patienceSeconds: number | undefined): void {
    this.#leaving ??= 'kubelet-ends';
    this.#patienceSeconds = patienceSeconds;
    this.wake();
  }

  running(container: string): RunningContainer | undefined {
    return this.#containers.running(container);
  }

  /** Undefined while the pod has no address and once it terminates. */
  ports(): ForwardTarget | undefined {
    const { address } = this.#setup;
    const { signal: ending } = this.#ending;
    if (address === undefined || ending.aborted) return undefined;
    const { ip: host, ports } = address;
    return { uid: this.#state.uid, addressOf: (port) => ({ host, port: ports.get(port) ?? port }), ending };
  }

  /** Throws a ContainerUnreachable when there is no such log. */
  async *logs(
    container: string,
    options: LogOptions & { previous: boolean },
    signal: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const found = findLog(this.#state.name, this.#writer.known, container, options.previous);
    try {
      yield* this.#containers.readLog(container, found.slice(containerScheme.length), options, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new ContainerUnreachable(400, `unable to retrieve container logs for ${found}`);
    }
  }

  wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    queueMicrotask(() => {
      this.#isAwake = false;
      try {
        this.#look();
      } catch (err) {
        this.#services.log.error({ err, object: this.#pod.metadata }, 'sync of pod failed; retrying');
        this.#nap(1_000);
      }
    });
  }

  #look(): void {
    if (this.#over.signal.aborted) return;
    const view = this.#view();
    const plan = planPod(view);
    if (plan.ending !== undefined) this.#beginEnd(plan);
    this.#noteBackOff(plan);
    if (this.#leaving === undefined && !this.#isSilent)
      this.#writer.want(podStatus(view, plan, this.#writer.known));
    for (const order of plan.stop) this.#containers.stop(order);
    const [next] = plan.start;
    if (next !== undefined) this.#containers.start(next, view);
    if (plan.ending === undefined) this.#setup.ensure();
    if (plan.ended) this.#release ??= this.#giveBack();
    if (plan.ended && this.#leaving !== undefined) this.#departure ??= this.#depart();
    if (plan.ended && plan.ending === 'deleted') this.#confirmation ??= this.#confirmDeletion();
    this.#cancelTimer();
    if (plan.nextCheckAt !== undefined) this.#nap(plan.nextCheckAt - view.now);
  }

  #view(): PodView {
    const { clock, probes, limits, network } = this.#services;
    const { address, isReady } = this.#setup;
    return {
      pod: this.#pod,
      records: this.#containers.records,
      verdictOf: (id) => probes.verdictOf(id),
      placed: isReady,
      ...(isReady && address !== undefined && { podIP: address.ip }),
      hostIP: network.hostIP,
      startedAt: this.#state.startedAt,
      now: clock.now(),
      limits,
      ...(this.#leaving !== undefined && { leaving: this.#leaving }),
      ...(this.#patienceSeconds !== undefined && { patienceSeconds: this.#patienceSeconds }),
    };
  }

  #beginEnd({ ending }: PodPlan): void {
    if (this.#ending.signal.aborted) return;
    this.#ending.abort(new DOMException('pod is terminating', 'AbortError'));
    if (ending === 'deadline')
      this.#services.tell(
        this.#pod,
        'Normal',
        'DeadlineExceeded',
        'Pod was active on the node longer than the specified deadline',
      );
  }

  #noteBackOff({ backOff }: PodPlan): void {
    for (const { name, reason, message } of backOff) {
      const record = this.#containers.records.get(name);
      if (record === undefined || record.waiting?.message === message) continue;
      record.waiting = { reason, message };
      const each = containersOf(this.#pod.spec).find(({ container }) => container.name === name);
      const tell = (type: 'Normal' | 'Warning', why: string, text: string) =>
        this.#services.tell(this.#pod, type, why, text, each);
      if (reason === 'CrashLoopBackOff')
        tell(
          'Warning',
          'BackOff',
          `Back-off restarting failed container ${name} in pod ${podText(this.#pod)}`,
        );
      else {
        tell('Normal', 'BackOff', `Back-off pulling image "${each?.container.image ?? ''}"`);
        tell('Warning', 'Failed', 'Error: ImagePullBackOff');
      }
    }
  }

  #nap(ms: number): void {
    this.#cancelTimer = this.#services.clock.after(Math.min(Math.max(ms, 0), maxSyncIntervalMs), () =>
      this.wake(),
    );
  }

  #save(address?: PodAddress): void {
    this.#state = {
      ...this.#state,
      ...(address && { podIP: address.ip, localPorts: localPortsText(address.ports) }),
      containers: this.#containers.toSave(),
    };
    this.#folder.save(this.#state);
  }

  /** Releases volumes and address after the last container has ended. */
  async #giveBack(): Promise<void> {
    const { setup, network, log } = this.#services;
    const { uid = '' } = this.#pod.metadata;
    await this.#containers.settled();
    await setup.release(uid).catch((err: unknown) => log.warn({ err }, 'release of volumes failed'));
    network.giveBack(uid);
  }

  /** Removes the pod's folder only once its object is gone: a finished pod keeps its logs until then. */
  async #depart(): Promise<void> {
    await this.#release;
    this.#over.abort(new DOMException('pod has terminated', 'AbortError'));
    this.#cancelTimer();
    await this.#writer.flush();
    if (this.#leaving === 'object-gone')
      await this.#folder.remove().catch((err: unknown) => {
        this.#services.log.warn({ err, object: this.#pod.metadata }, 'removal of pod folder failed');
      });
    this.#done.resolve();
  }

  /** Deletes the object with a grace period of 0, for which the API server waits. */
  async #confirmDeletion(): Promise<void> {
    const { client, clock, log } = this.#services;
    const { uid = '', namespace = '', name = '' } = this.#pod.metadata;
    const { signal } = this.#over;
    await this.#release;
    await this.#writer.flush();
    for (let delayMs = 100; !signal.aborted; delayMs = Math.min(delayMs * 2, 5_000)) {
      try {
        const options = { gracePeriodSeconds: 0, preconditions: { uid }, signal };
        return await client.delete(pods, { namespace, name }, options);
      } catch (err) {
        if (isNotFound(err) || isConflict(err) || signal.aborted) return;
        log.warn({ err, object: this.#pod.metadata }, 'deletion of pod object failed; retrying');
        await sleep(clock, delayMs, signal).catch(() => {});
      }
    }
  }
}
