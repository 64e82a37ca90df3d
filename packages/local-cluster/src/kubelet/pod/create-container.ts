import { randomBytes } from 'node:crypto';
import type { Pod } from '../../objects/pod.ts';
import type { ContainerContext, PreparedContainer } from '../container-setup.ts';
import { programOf } from '../images/catalogue.ts';
import { LogWriter } from '../logs/log-writer.ts';
import { addressVariables, withLocalPort } from '../network/port-variables.ts';
import { type ContainerProcess, startProcess } from '../runtime/container-process.ts';
import { programProblem } from '../runtime/find-program.ts';
import { LiveOutput } from '../runtime/live-output.ts';
import { hasTerminals, inTerminal, noTerminals } from '../runtime/terminal.ts';
import { nextBackOff } from './back-off.ts';
import type { ContainerRecord } from './container-record.ts';
import type { PodContainer } from './container-roles.ts';
import { CreateFailure, noteFailure } from './create-failure.ts';
import type { KubeletServices, PodAddress } from './kubelet-services.ts';
import type { PodFolder } from './pod-folder.ts';

export interface CreatedContainer {
  id: string;
  /** Number of this instance of the container, from 1. */
  made: number;
  process: ContainerProcess;
  prepared: PreparedContainer;
  output: LiveOutput;
  logs: LogWriter;
  logFile: string;
  terminationLog: string;
}

interface Making {
  services: KubeletServices;
  pod: Pod;
  address: PodAddress;
  folder: PodFolder;
  each: PodContainer;
  record: ContainerRecord;
  /** Time from which the back-off is counted; undefined for a first start. */
  reference: number | undefined;
  /** Stores the records on disk; throws when it fails. */
  save(): void;
  signal: AbortSignal;
}

/**
 * Starts one container. A failure is recorded in its record (`waiting`, `retryAt`, or an exit with `StartError`) and
 * in Events, never thrown. Returns undefined when no process was started.
 */
export async function createContainer(making: Making): Promise<CreatedContainer | undefined> {
  const { services, record, reference } = making;
  const now = services.clock.now();
  if (reference !== undefined) record.backOff = nextBackOff(record.backOff, reference, now, services.limits);
  try {
    const made = await tryToMake(making);
    delete record.waiting;
    delete record.retryAt;
    delete record.failures;
    delete record.failedAt;
    delete record.pullProblem;
    return made;
  } catch (error) {
    if (!making.signal.aborted) noteFailure(making, error);
    return undefined;
  }
}

async function tryToMake(making: Making): Promise<CreatedContainer> {
  const { services, pod, address, folder, each, record, signal } = making;
  const { container } = each;
  const tell = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    services.tell(pod, type, reason, message, each);
  const program = findProgram(making);
  const terminationLog = folder.makeTerminationLog(container.name);
  const place: ContainerContext = {
    ...podPlace(making),
    container: withLocalPort(container, address),
    terminationLog,
    extraEnvironment: addressVariables(pod, container, address),
  };
  const prepared = await services.setup.prepareContainer(place, signal);
  if ('waiting' in prepared) throw new CreateFailure(prepared.waiting.reason, prepared.waiting.message);
  signal.throwIfAborted();
  const command = [...program.fromImage, ...prepared.expand(program.words)];
  const id = randomBytes(32).toString('hex');
  const made = record.made + 1;
  const logFile = folder.makeLogFile(container.name, made);
  // Saved before the process exists, so that a later kubelet can find the process by its mark.
  record.made = made;
  record.current = { id, startedAt: services.clock.now() };
  try {
    making.save();
    tell('Normal', 'Created', 'Container created');
    const problem = await programProblem(command[0] ?? '', prepared);
    if (problem !== undefined) throw new CreateFailure('RunContainerError', `failed to start: ${problem}`);
    const logs = logWriter(making, logFile);
    await logs.open();
    const live = new LiveOutput(services.clock);
    const hasTerminal = container.tty === true && canHaveTerminal(making);
    const process = await startProcess({
      id,
      command: hasTerminal ? inTerminal(prepared.wrap(command)) : prepared.wrap(command),
      env: hasTerminal ? { TERM: 'xterm', ...prepared.env } : prepared.env,
      cwd: prepared.cwd,
      output: async (stream, chunk) => {
        await logs.write(stream, chunk);
        await live.tell(stream, chunk);
      },
      hasInput: container.stdin === true || hasTerminal,
      hasTerminal,
      sweeper: services.sweeper,
      pipes: services.pipes,
    }).catch((error: Error) => {
      throw new CreateFailure('RunContainerError', `failed to start: ${error.message}`);
    });
    await remember(making, process);
    tell('Normal', 'Started', 'Container started');
    return { id, made, process, prepared, output: live, logs, logFile, terminationLog };
  } catch (error) {
    forget(making, error, id);
    throw error;
  }
}

/** A container counts as started once its PID is saved. A process whose PID cannot be saved is killed at once. */
async function remember({ services, record, save }: Making, process: ContainerProcess): Promise<void> {
  const { current, exit, lastExit } = record;
  if (current === undefined) return;
  record.current = { ...current, startedAt: services.clock.now(), process: process.identity };
  if (exit !== undefined) record.lastExit = exit;
  delete record.exit;
  delete record.fromBefore;
  try {
    save();
  } catch (error) {
    process.signal('SIGKILL');
    await process.ended;
    if (exit !== undefined) record.exit = exit;
    if (lastExit === undefined) delete record.lastExit;
    else record.lastExit = lastExit;
    throw error;
  }
}

/** A missing program counts as an instance that ended with 128. After other failures the instance is not counted. */
function forget({ services, record, save }: Making, error: unknown, id: string): void {
  const startedAt = 0;
  delete record.current;
  if (error instanceof CreateFailure && error.reason === 'RunContainerError') {
    if (record.exit !== undefined) record.lastExit = record.exit;
    const finishedAt = services.clock.now();
    const { message } = error;
    record.exit = { containerID: id, exitCode: 128, reason: 'StartError', message, startedAt, finishedAt };
    delete record.fromBefore;
  } else record.made--;
  try {
    save();
  } catch {
    // The next start reports the failure to write.
  }
}

function findProgram({ services, pod, each, record }: Making) {
  const { container } = each;
  const program = programOf(container, services.images);
  const image = container.image ?? '';
  if ('problem' in program) {
    if (program.problem === 'ErrImagePull')
      services.tell(pod, 'Normal', 'Pulling', `Pulling image "${image}"`, each);
    throw new CreateFailure(program.problem, program.message);
  }
  if (program.isImageKnown)
    services.tell(
      pod,
      'Normal',
      'Pulled',
      `Container image "${image}" already present on machine and can be accessed by the pod`,
      each,
    );
  else if (record.made === 0)
    services.tell(
      pod,
      'Normal',
      'ImageIgnored',
      `Image "${image}" is not used: containers are processes of this machine, and "command" selects the program to run`,
      each,
    );
  return program;
}

function canHaveTerminal({ services, pod, each }: Making): boolean {
  if (hasTerminals()) return true;
  services.tell(pod, 'Warning', 'NoTerminal', `tty is ignored: ${noTerminals}`, each);
  return false;
}

function podPlace({ services, pod, folder, address }: Making) {
  return {
    pod,
    folder: folder.path,
    podIP: address.ip,
    hostIP: services.network.hostIP,
    allocatable: services.allocatable,
    tell: (type: 'Normal' | 'Warning', reason: string, message: string) =>
      services.tell(pod, type, reason, message),
  };
}

function logWriter({ services, pod, each }: Making, file: string): LogWriter {
  const { clock, maxLogBytes, log } = services;
  return new LogWriter({
    file,
    clock,
    maxBytes: maxLogBytes,
    onTrouble(error) {
      const why = error.code === 'ENOSPC' ? 'the disk is full' : error.message;
      const message = `The log of container ${each.container.name} has a gap: ${why}. Output is dropped until it can be written again.`;
      services.tell(pod, 'Warning', 'LogWriteFailed', message, each);
      log.warn({ err: error, object: pod.metadata }, 'write of container log failed; output is dropped');
    },
  });
}
