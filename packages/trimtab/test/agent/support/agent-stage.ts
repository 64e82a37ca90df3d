import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach } from 'vitest';
import { Agent } from '../../../src/agent/agent.ts';
import { Application } from '../../../src/agent/application/application.ts';
import { ConfigRoot } from '../../../src/agent/files/config-root.ts';
import { composeFiles, type PathRules } from '../../../src/agent/files/file-set.ts';
import { agentMetrics } from '../../../src/agent/health/agent-metrics.ts';
import { execAction } from '../../../src/agent/reload/exec-action.ts';
import { httpAction } from '../../../src/agent/reload/http-action.ts';
import type { Action } from '../../../src/agent/reload/outcome.ts';
import { Reloader } from '../../../src/agent/reload/reloader.ts';
import type { Config, ConfigRef } from '../../../src/agent/source/config.ts';
import type { Interruption, Observed, Source } from '../../../src/agent/source/source.ts';

const rules: PathRules = { paths: new Map(), subfolders: false, nestedKeys: false };
export const ref: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
export let version = 0;

/** A new state of the config, with this content of `app.conf`. */
export function config(content: string, more: Record<string, string> = {}, of: ConfigRef = ref): Config {
  const entries = Object.entries({ 'app.conf': content, ...more }).map(
    ([key, text]) => [key, Buffer.from(text)] as const,
  );
  version += 1;
  return { ...of, uid: 'u', resourceVersion: String(version), entries: new Map(entries) };
}

/** A source that shows what a test wants. */
export class ShownConfigs implements Source {
  problem: Interruption | undefined;
  #observed: Observed[] = [{ state: 'unknown', ref }];
  #onChange = () => {};

  show(...observed: (Config | 'missing' | 'unknown')[]): void {
    this.#observed = observed.map((each) =>
      typeof each === 'string' ? { state: each, ref } : { state: 'present', config: each },
    );
    this.#onChange();
  }

  observe(): Observed[] {
    return this.#observed;
  }

  interruption(): Interruption | undefined {
    return this.problem;
  }

  async run(onChange: () => void, signal: AbortSignal): Promise<void> {
    this.#onChange = onChange;
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }
}

/**
 * An application that reads `app.conf` when it is told to over HTTP. It refuses content with `bad` in it, and content with
 * `repair` in it makes it healthy.
 */
export class HttpApplication {
  /** The contents that it found when it was told. */
  readonly told: string[] = [];
  /** Requests wait for it. */
  release = Promise.resolve();
  /** Status of GET requests. */
  health = 200;
  mostAtOnce = 0;
  #now = 0;
  #port = 0;
  #server: Server | undefined;

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/-/reload`);
  }

  async start(): Promise<void> {
    const server = createServer(async ({ method }, response) => {
      if (method === 'GET') return void response.writeHead(this.health).end();
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#now);
      const content = readFileSync(join(root, 'app.conf'), 'utf8');
      this.told.push(content);
      await this.release;
      this.#now -= 1;
      const isBad = content.includes('bad');
      if (content.includes('repair')) this.health = 200;
      response.writeHead(isBad ? 500 : 200).end(isBad ? `cannot parse '${content}'` : '');
    });
    this.#server = server;
    await once(server.listen(this.#port, '127.0.0.1'), 'listening');
    this.#port = (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    this.#server = undefined;
    await closed;
  }
}

export let folder: string;
export let root: string;
export let source: ShownConfigs;
export let app: HttpApplication;
export let clock: ManualClock;
export let logged: Record<string, unknown>[];
/** The time of the files that each request to the application was made for. */
export let ticks: number[];
const stops: (() => Promise<void>)[] = [];

/** Gives each test of a file its own folder, source, application and clock. */
export function useAgentStage(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-agent-'));
    root = join(folder, 'config');
    source = new ShownConfigs();
    app = new HttpApplication();
    clock = new ManualClock();
    logged = [];
    ticks = [];
    await app.start();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

export interface Setup {
  verifyExec?: string[];
  verifiesHttp?: boolean;
  /** Parent mode: the script of the application. */
  script?: string;
  once?: boolean;
  onFileStep?: (step: string) => void;
}

/** Starts an agent, as a new process on the same folder does. */
export function startAgent({
  verifyExec,
  verifiesHttp = false,
  script,
  once: isOnce = false,
  onFileStep,
}: Setup = {}) {
  const log = createLogger({
    program: 'test',
    level: 'info',
    destination: { write: (line) => void logged.push(JSON.parse(line)) },
  });
  const application =
    script === undefined
      ? undefined
      : new Application({ command: ['sh', '-c', script, 'sh', folder], log, clock, graceMs: 0 });
  const http = httpAction({ url: app.url, method: 'POST' });
  const tellByHttp: Action = {
    ...http,
    run(attempt) {
      ticks.push(attempt.writtenAtTicks);
      return http.run(attempt);
    },
  };
  const tellBySignal = application?.signalAction('SIGHUP');
  const registry = createRegistry();
  const agent = new Agent({
    ...{ source, clock, log, once: isOnce, configRoot: root, startTimeoutMs: 3_000 },
    compose: (configs) => composeFiles(configs, rules),
    root: new ConfigRoot({ root, fileMode: 0o644, ...(onFileStep && { onStep: onFileStep }) }),
    reloader: new Reloader({
      tell: isOnce ? [] : [tellBySignal ?? tellByHttp],
      ...{ timeoutMs: 1_000_000, retries: 1, clock },
      ...(verifyExec && { verifyFiles: execAction({ words: verifyExec, folder: root }) }),
      ...(verifiesHttp && { verifyApplication: httpAction({ url: app.url, method: 'GET' }) }),
    }),
    metrics: agentMetrics(registry),
    ...(application && { application }),
  });
  const stop = new AbortController();
  const running = agent.run(stop.signal);
  running.catch(() => {});
  const end = async () => {
    stop.abort();
    await running.catch(() => {});
    if (application?.isStarted) {
      application.forward('SIGKILL');
      await application.ended;
    }
  };
  stops.push(end);
  return { agent, application, running, stop, end, registry };
}

/** Waits for a condition. */
export const until = (what: string, isMet: () => boolean, describeState: () => unknown = () => logged) =>
  waitFor(what, async () => (isMet() ? { met: undefined } : { seen: JSON.stringify(describeState()) }), {
    everyMs: 2,
  });

/** Waits for a condition while time goes on. */
export const untilLater = (what: string, isMet: () => boolean, describeState: () => unknown = () => logged) =>
  waitFor(
    what,
    async () => {
      if (isMet()) return { met: undefined };
      await clock.advance(250);
      return { seen: JSON.stringify(describeState()) };
    },
    { everyMs: 2 },
  );

export const untilReady = (agent: Agent) =>
  until(
    'readiness',
    () => agent.state().notReady === undefined,
    () => agent.state(),
  );
export const untilFailed = (agent: Agent) =>
  untilLater(
    'a failure',
    () => agent.state().failure !== undefined,
    () => agent.state(),
  );
export const untilWell = (agent: Agent) =>
  untilLater(
    'no failure',
    () => agent.state().failure === undefined && agent.state().notReady === undefined,
    () => agent.state(),
  );
export const untilTold = (...contents: string[]) =>
  until(
    `to tell ${contents}`,
    () => String(app.told) === String(contents),
    () => app.told,
  );

export const visible = (name = 'app.conf') => readFileSync(join(root, name), 'utf8');
export const messages = () => logged.map(({ msg }) => msg);
/** Whether the visible set is the last good one. */
export const isAccepted = () => realpathSync(join(root, '..data')) === realpathSync(join(root, '..good'));

/** Leaves a folder as an agent that had accepted the first content, and was killed after it wrote the others. */
export function leaveFiles(accepted: string | undefined, ...written: string[]): void {
  const files = new ConfigRoot({ root, fileMode: 0o644 });
  files.recover();
  for (const content of [accepted, ...written]) {
    if (content === undefined) continue;
    files.write(composeFiles([config(content)], rules).set);
    if (content === accepted) files.accept({ isTold: true });
  }
}
