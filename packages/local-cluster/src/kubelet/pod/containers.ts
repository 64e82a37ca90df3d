import type { Pod } from '../../objects/pod.ts';
import { type LogOptions, readLog } from '../logs/read-log.ts';
import { takenPortAdvice } from '../network/port-advice.ts';
import { watchPorts } from '../network/port-watch.ts';
import { markVariable } from '../runtime/marked-processes.ts';
import { stopSignalOf } from '../runtime/signals.ts';
import type { ContainerRecord } from './container-record.ts';
import { containersOf, type PodContainer } from './container-roles.ts';
import { type CreatedContainer, createContainer } from './create-container.ts';
import type { KubeletServices, PodAddress } from './kubelet-services.ts';
import { restartReference } from './plan-pod.ts';
import type { StopOrder } from './plan-stops.ts';
import type { PodFolder, PodState } from './pod-folder.ts';
import type { PodView } from './pod-view.ts';
import type { RunningContainer } from './probe-results.ts';
import { Stopping } from './stopping.ts';
import { endOfLog, terminationMessage } from './termination-message.ts';

interface ContainersOptions {
  services: KubeletServices;
  folder: PodFolder;
  known: PodState['containers'];
  pod: () => Pod;
  address: () => PodAddress;
  /** Stores the records on disk; throws when it fails. */
  save(): void;
  wake(): void;
  /** Aborts when the pod begins to terminate. */
  ending: AbortSignal;
}

interface Live {
  each: PodContainer;
  made: CreatedContainer;
  running: RunningContainer;
  /** Resolves when the exit is in the container's record. */
  over: Promise<void>;
  stopping?: Stopping;
  byProbe?: boolean;
  endPortWatch?: () => void;
}

/** The containers of one pod. Carries out the plan and keeps the records up to date. */
export class Containers {
  readonly #options: ContainersOptions;
  readonly records = new Map<string, ContainerRecord>();
  readonly #live = new Map<string, Live>();
  readonly #tasks = new Set<Promise<void>>();

  constructor(options: ContainersOptions) {
    this.#options = options;
    for (const [name, record] of Object.entries(options.known)) this.records.set(name, record);
  }

  start(name: string, view: PodView): void {
    const each = this.#find(name);
    if (each === undefined) return;
    const record = this.records.get(name) ?? { made: 0 };
    this.records.set(name, record);
    record.starting = true;
    const task = this.#start(each, record, restartReference(view, name))
      .catch((err: unknown) => this.#options.services.log.error({ err }, 'start of container failed'))
      .finally(() => {
        delete record.starting;
        this.#tasks.delete(task);
        this.#options.wake();
      });
    this.#tasks.add(task);
  }

  stop({ name, graceSeconds, message, after, byProbe, atOnce }: StopOrder): void {
    const live = this.#live.get(name);
    if (live === undefined) return;
    if (live.stopping === undefined) {
      this.#tell('Normal', 'Killing', message, live.each);
      live.byProbe = byProbe;
      live.stopping = this.#stopping(live, graceSeconds, after);
    } else live.stopping.hurry(graceSeconds * 1000);
    if (atOnce) live.stopping.killNow();
  }

  /** Resolves when all starts and stops in progress have completed. */
  async settled(): Promise<void> {
    await Promise.all([...this.#tasks, ...[...this.#live.values()].map(({ over }) => over)]);
  }

  toSave(): PodState['containers'] {
    return Object.fromEntries(
      [...this.records].map(([name, { made, current, exit, lastExit }]) => [
        name,
        { made, ...(current && { current }), ...(exit && { exit }), ...(lastExit && { lastExit }) },
      ]),
    );
  }

  /** Undefined when the container is not running or is still starting. */
  running(name: string): RunningContainer | undefined {
    return this.records.get(name)?.starting ? undefined : this.#live.get(name)?.running;
  }

  /** The log of one instance of the container; rejects with ENOENT when it is not kept. */
  readLog(name: string, id: string, options: LogOptions, signal: AbortSignal): AsyncGenerator<Buffer> {
    const { made = 0, lastExit } = this.records.get(name) ?? {};
    const live = this.#live.get(name)?.made;
    const file = this.#options.folder.logFile(name, lastExit?.containerID === id ? made - 1 : made);
    return readLog(file, options, live?.id === id ? live.logs : undefined, signal);
  }

  async #start(each: PodContainer, record: ContainerRecord, reference: number | undefined): Promise<void> {
    const { services, folder, pod, save, ending: signal } = this.#options;
    const address = this.#options.address();
    const made = await createContainer({
      services,
      pod: pod(),
      address,
      folder,
      each,
      record,
      reference,
      save,
      signal,
    });
    if (made === undefined) return;
    const { id, process, prepared, output } = made;
    const running: RunningContainer = {
      pod: pod(),
      container: each.container,
      id,
      pid: process.identity.pid,
      podIP: address.ip,
      ports: address.ports,
      // The mark makes probes, hooks and exec commands part of the container, so that they end with it.
      prepared: { ...prepared, env: { ...prepared.env, [markVariable]: id } },
      attachment: {
        output,
        ended: process.ended,
        ...(process.stdin && { stdin: process.stdin }),
        ...(process.terminal && { terminal: process.terminal }),
      },
      warn: (reason, message) => this.#tell('Warning', reason, message, each),
      // The view is entered anew and not through the PID, because a starting program may not have entered it yet.
      join: (command) => prepared.wrap(command),
    };
    const live: Live = { each, made, running, over: process.ended.then((code) => this.#onEnd(live, code)) };
    this.#live.set(each.container.name, live);
    const postStart = each.container.lifecycle?.postStart;
    if (postStart !== undefined && !(await this.#postStart(live, postStart))) return;
    if (record.current?.id !== id) return;
    services.probes.begin(running, () => this.#options.wake());
    live.endPortWatch = watchPorts({
      clock: services.clock,
      container: each.container,
      ports: address.ports,
      tell: (message) => this.#tell('Warning', 'PortNotUsed', message, each),
    });
  }

  /** Returns false when the hook has failed, in which case the container is stopped. */
  async #postStart(
    live: Live,
    handler: NonNullable<NonNullable<PodContainer['container']['lifecycle']>['postStart']>,
  ): Promise<boolean> {
    const { services, ending, pod } = this.#options;
    const over = new AbortController();
    void live.over.then(() => over.abort());
    try {
      await services.runHook(handler, live.running, AbortSignal.any([ending, over.signal]));
      return true;
    } catch (err) {
      if (ending.aborted) return true;
      services.log.info({ err, object: pod().metadata }, 'postStart hook failed');
      this.#tell('Warning', 'FailedPostStartHook', 'PostStartHook failed', live.each);
      this.stop({
        name: live.each.container.name,
        graceSeconds: pod().spec.terminationGracePeriodSeconds ?? 30,
        message: 'FailedPostStartHook',
        after: [],
        byProbe: false,
        atOnce: false,
      });
      await live.over;
      return false;
    }
  }

  #stopping(live: Live, graceSeconds: number, after: readonly string[]): Stopping {
    const { services, pod } = this.#options;
    const { process } = live.made;
    const { lifecycle } = live.each.container;
    const preStop = lifecycle?.preStop;
    const run = async (signal: AbortSignal) => {
      if (preStop === undefined) return;
      await services.runHook(preStop, live.running, signal).catch((err: unknown) => {
        if (signal.aborted) return;
        services.log.info({ err, object: pod().metadata }, 'preStop hook failed');
        this.#tell('Warning', 'FailedPreStopHook', 'PreStopHook failed', live.each);
      });
    };
    return new Stopping({
      clock: services.clock,
      graceMs: graceSeconds * 1000,
      ...(preStop !== undefined && { preStop: run }),
      turn: Promise.all(after.map((name) => this.#live.get(name)?.over)),
      ended: process.ended,
      term: () => process.signal(stopSignalOf(lifecycle?.stopSignal)),
      kill: () => process.signal('SIGKILL'),
    });
  }

  async #onEnd({ each, made, byProbe, endPortWatch }: Live, exitCode: number): Promise<void> {
    const { services, save, wake } = this.#options;
    const { container } = each;
    const finishedAt = services.clock.now();
    services.probes.stop(made.id);
    endPortWatch?.();
    await made.logs.close();
    await this.#adviseOnPorts(each, exitCode, made.logFile);
    const path = container.terminationMessagePath;
    const files = [made.terminationLog, ...(path === undefined ? [] : [made.prepared.hostPath(path)])];
    const message = await terminationMessage(container, exitCode, { message: files, log: made.logFile });
    const live = this.#live.get(container.name);
    const record = this.records.get(container.name);
    services.probes.forget(made.id);
    if (record?.current?.id !== made.id) return;
    const { startedAt } = record.current;
    delete record.current;
    record.exit = {
      containerID: made.id,
      exitCode,
      reason: exitCode === 0 ? 'Completed' : 'Error',
      ...(message !== '' && { message }),
      startedAt,
      finishedAt,
      ...((live?.byProbe ?? byProbe) && { byProbe: true }),
    };
    if (live?.made.id === made.id) this.#live.delete(container.name);
    try {
      save();
    } catch (err) {
      // The exit is known in memory; after a restart of the kubelet it is reported as Unknown.
      services.log.warn({ err }, 'saving the exit of a container failed');
    }
    wake();
  }

  async #adviseOnPorts(each: PodContainer, exitCode: number, log: string): Promise<void> {
    if (exitCode === 0) return;
    const { address, services } = this.#options;
    const facts = { hostIP: services.network.hostIP, log: await endOfLog(log) };
    const advice = takenPortAdvice(each.container, address(), facts);
    if (advice !== undefined) this.#tell('Warning', 'PortInUse', advice, each);
  }

  #find(name: string): PodContainer | undefined {
    return containersOf(this.#options.pod().spec).find(({ container }) => container.name === name);
  }

  #tell(type: 'Normal' | 'Warning', reason: string, message: string, each: PodContainer): void {
    this.#options.services.tell(this.#options.pod(), type, reason, message, each);
  }
}
