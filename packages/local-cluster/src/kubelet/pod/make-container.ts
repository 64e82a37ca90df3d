import { randomBytes } from 'node:crypto';
import type { Pod } from '../../objects/pod.ts';
import type { ContainerPlace, PreparedContainer } from '../container-setup.ts';
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
import type { KubeletServices, PodAddress } from './kubelet-services.ts';
import { NotMade, noteFailure } from './not-made.ts';
import type { PodFolder } from './pod-folder.ts';

export interface MadeContainer {
  id: string;
  /** Which of its name it is, from 1 on. */
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
  /** From when a back-off counts; undefined for a first start. */
  reference: number | undefined;
  /** Writes the records down; throws when it cannot. */
  save(): void;
  signal: AbortSignal;
}

/**
 * Starts one container. What goes wrong ends up in its record (`waiting`, `retryAt`, or an exit with `StartError`) and
 * in events, never in an exception. Undefined when there is no process.
 */
export async function makeContainer(making: Making): Promise<MadeContainer | undefined> {
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

async function tryToMake(making: Making): Promise<MadeContainer> {
  const { services, pod, address, folder, each, record, signal } = making;
  const { container } = each;
  const tell = (type: 'Normal' | 'Warning', reason: string, message: string) =>
    services.tell(pod, type, reason, message, each);
  const program = findProgram(making);
  const terminationLog = folder.makeTerminationLog(container.name);
  const place: ContainerPlace = {
    ...podPlace(making),
    container: withLocalPort(container, address),
    terminationLog,
    extraEnvironment: addressVariables(pod, container, address),
  };
  const prepared = await services.setup.prepareContainer(place, signal);
  if ('waiting' in prepared) throw new NotMade(prepared.waiting.reason, prepared.waiting.message);
  signal.throwIfAborted();
  const command = [...program.fromImage, ...prepared.expand(program.words)];
  const id = randomBytes(32).toString('hex');
  const made = record.made + 1;
  const logFile = folder.makeLogFile(container.name, made);
  // Written down before there is a process: whoever comes after us finds it by its mark.
  record.made = made;
  record.current = { id, startedAt: services.clock.now() };
  try {
    making.save();
    tell('Normal', 'Created', 'Container created');
    const problem = await programProblem(command[0] ?? '', prepared);
    if (problem !== undefined) throw new NotMade('RunContainerError', `failed to start: ${problem}`);
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
      throw new NotMade('RunContainerError', `failed to start: ${error.message}`);
    });
    await remember(making, process);
    tell('Normal', 'Started', 'Container started');
    return { id, made, process, prepared, output: live, logs, logFile, terminationLog };
  } catch (error) {
    forget(making, error, id);
    throw error;
  }
}

/** It counts as started when its PID is written down; a process that cannot be is ended at once. */
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

/** A program that is not there counts as a container that ended with 128; anything else never was one. */
function forget({ services, record, save }: Making, error: unknown, id: string): void {
  const startedAt = 0;
  delete record.current;
  if (error instanceof NotMade && error.reason === 'RunContainerError') {
    if (record.exit !== undefined) record.lastExit = record.exit;
    const finishedAt = services.clock.now();
    const { message } = error;
    record.exit = { containerID: id, exitCode: 128, reason: 'StartError', message, startedAt, finishedAt };
    delete record.fromBefore;
  } else record.made--;
  try {
    save();
  } catch {
    // The next start tells that nothing can be written.
  }
}

function findProgram({ services, pod, each, record }: Making) {
  const { container } = each;
  const program = programOf(container, services.images);
  const image = container.image ?? '';
  if ('problem' in program) {
    if (program.problem === 'ErrImagePull')
      services.tell(pod, 'Normal', 'Pulling', `Pulling image "${image}"`, each);
    throw new NotMade(program.problem, program.message);
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
      `Image "${image}" is not used: containers are processes of this machine, and "command" says which program to run`,
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
      log.warn({ err: error, object: pod.metadata }, 'container log not written');
    },
  });
}
