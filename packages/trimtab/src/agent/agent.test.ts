import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Agent } from './agent.ts';
import { Application } from './application/application.ts';
import { ConfigRoot } from './files/config-root.ts';
import { composeFiles, type PathRules } from './files/file-set.ts';
import { agentMetrics } from './health/agent-metrics.ts';
import { execAction } from './reload/exec-action.ts';
import { httpAction } from './reload/http-action.ts';
import type { Action } from './reload/outcome.ts';
import { Reloader } from './reload/reloader.ts';
import type { Config, ConfigRef } from './source/config.ts';
import type { Interruption, Observed, Source } from './source/source.ts';

const rules: PathRules = { paths: new Map(), subfolders: false, nestedKeys: false };
const ref: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
let version = 0;

/** A new state of the config, with this content of `app.conf`. */
function config(content: string, more: Record<string, string> = {}, of: ConfigRef = ref): Config {
  const entries = Object.entries({ 'app.conf': content, ...more }).map(
    ([key, text]) => [key, Buffer.from(text)] as const,
  );
  version += 1;
  return { ...of, uid: 'u', resourceVersion: String(version), entries: new Map(entries) };
}

/** A source that shows what a test wants. */
class ShownConfigs implements Source {
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
class HttpApplication {
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

let folder: string;
let root: string;
let source: ShownConfigs;
let app: HttpApplication;
let clock: ManualClock;
let logged: Record<string, unknown>[];
/** The time of the files that each request to the application was made for. */
let ticks: number[];
const stops: (() => Promise<void>)[] = [];

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

interface Setup {
  verifyExec?: string[];
  verifiesHttp?: boolean;
  /** Parent mode: the script of the application. */
  script?: string;
  once?: boolean;
  onFileStep?: (step: string) => void;
}

/** Starts an agent, as a new process on the same folder does. */
function startAgent({
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
    ...{ source, rules, clock, log, once: isOnce, configRoot: root, startTimeoutMs: 3_000 },
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
const until = (what: string, isMet: () => boolean, describeState: () => unknown = () => logged) =>
  waitFor(what, async () => (isMet() ? { met: undefined } : { seen: JSON.stringify(describeState()) }), {
    everyMs: 2,
  });

/** Waits for a condition while time goes on. */
const untilLater = (what: string, isMet: () => boolean, describeState: () => unknown = () => logged) =>
  waitFor(
    what,
    async () => {
      if (isMet()) return { met: undefined };
      await clock.advance(250);
      return { seen: JSON.stringify(describeState()) };
    },
    { everyMs: 2 },
  );

const untilReady = (agent: Agent) =>
  until(
    'readiness',
    () => agent.state().notReady === undefined,
    () => agent.state(),
  );
const untilFailed = (agent: Agent) =>
  untilLater(
    'a failure',
    () => agent.state().failure !== undefined,
    () => agent.state(),
  );
const untilWell = (agent: Agent) =>
  untilLater(
    'no failure',
    () => agent.state().failure === undefined && agent.state().notReady === undefined,
    () => agent.state(),
  );
const untilTold = (...contents: string[]) =>
  until(
    `to tell ${contents}`,
    () => String(app.told) === String(contents),
    () => app.told,
  );

const visible = (name = 'app.conf') => readFileSync(join(root, name), 'utf8');
const messages = () => logged.map(({ msg }) => msg);
/** Whether the visible set is the last good one. */
const isAccepted = () => realpathSync(join(root, '..data')) === realpathSync(join(root, '..good'));

/** Leaves a folder as an agent that had accepted the first content, and was killed after it wrote the others. */
function leaveFiles(accepted: string | undefined, ...written: string[]): void {
  const files = new ConfigRoot({ root, fileMode: 0o644 });
  files.recover();
  for (const content of [accepted, ...written]) {
    if (content === undefined) continue;
    files.write(composeFiles([config(content)], rules).set);
    if (content === accepted) files.accept();
  }
}

describe('the first set', () => {
  test('is written, and the application is told', async () => {
    const { agent, registry } = startAgent();
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web is not known yet',
      failure: undefined,
    });
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(isAccepted()).toBe(true);
    expect(messages()).toEqual(['config applied']);
    expect(registry.render()).toContain('trimtab_agent_last_reload_successful 1');
    expect(registry.render()).toContain(`resource_version="${version}"} 1`);
  });

  test('that the application refuses is reported, and the next one is applied', async () => {
    const { agent } = startAgent();
    source.show(config('bad'));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      notReady: expect.stringContaining('status 500'),
      isRestored: false,
    });
    source.show(config('one'));
    await untilReady(agent);
    expect(agent.state()).toMatchObject({ failure: undefined, isRestored: true });
    expect(app.told).toEqual(['bad', 'one']);
  });

  test('makes the agent ready while the application does not run, and the application is told later', async () => {
    await app.stop();
    const { agent } = startAgent();
    source.show(config('one'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    expect(agent.state().failure).toBeUndefined();
    expect([visible(), isAccepted()]).toEqual(['one', true]);
    expect(app.told).toEqual([]);
    await app.start();
    await untilLater('the application to be told', () => app.told.length > 0);
    expect(app.told).toEqual(['one']);
    expect(
      messages().filter((message) => message === 'application does not answer yet; retrying'),
    ).toHaveLength(1);
  });

  test('can consist of several configs, and a key of both is reported once', async () => {
    const { agent } = startAgent();
    const secret = { ...ref, kind: 'Secret' } as const;
    const later = config('later', {}, secret);
    source.show(config('earlier', { a: '1' }), later);
    await untilReady(agent);
    expect([visible(), visible('a')]).toEqual(['later', '1']);
    source.show(config('earlier', { a: '2' }), later);
    await untilTold('later', 'later');
    await untilReady(agent);
    source.show(config('earlier', { a: '2' }), later);
    source.show(config('earlier', { a: '3' }), later);
    await untilTold('later', 'later', 'later');
    const warnings = logged.filter(({ msg }) => msg === 'keys of configs collide or are missing');
    expect(warnings).toHaveLength(1);
  });
});

describe('after a restart of the agent', () => {
  test('the same content tells nobody', async () => {
    const first = startAgent();
    source.show(config('one'));
    await untilReady(first.agent);
    await first.end();
    const second = startAgent();
    source.show(config('one'));
    await untilReady(second.agent);
    source.show(config('two'));
    await untilTold('one', 'two');
  });

  test('another content is applied', async () => {
    leaveFiles('one');
    const { agent } = startAgent();
    source.show(config('two'));
    await untilTold('two');
    await untilReady(agent);
    expect(isAccepted()).toBe(true);
  });

  test('a set that was written and not accepted is told again', async () => {
    leaveFiles('one', 'two');
    const written = realpathSync(join(root, '..data'));
    const { agent } = startAgent();
    source.show(config('two'));
    await untilReady(agent);
    expect(app.told).toEqual(['two']);
    expect(isAccepted()).toBe(true);
    expect(realpathSync(join(root, '..data'))).toBe(written);
    // The agent does not know when the files were written, so every process is told.
    expect(ticks).toEqual([Number.POSITIVE_INFINITY]);
  });

  test('the content before an unfinished set is told as well', async () => {
    leaveFiles('one', 'two');
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(visible()).toBe('one');
  });

  test('the good content that is back is told, if the application was not told before the end', async () => {
    leaveFiles('one', 'bad');
    const killed = new ConfigRoot({ root, fileMode: 0o644 });
    killed.recover();
    killed.restore({ isTold: false });
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(readdirSync(root)).not.toContain('..untold');
  });

  test('another content stays while the application does not run, and is told later', async () => {
    leaveFiles('one');
    await app.stop();
    const { agent } = startAgent();
    source.show(config('two'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    expect([visible(), isAccepted()]).toEqual(['two', false]);
    expect(agent.state().failure).toBeUndefined();
    await app.start();
    await untilLater('the application to be told', () => app.told.length > 0 && isAccepted());
    expect(app.told).toEqual(['two']);
  });

  test('another content that the application refuses as soon as it runs is taken back', async () => {
    leaveFiles('one');
    await app.stop();
    const { agent } = startAgent();
    source.show(config('bad'));
    await untilLater('readiness', () => agent.state().notReady === undefined);
    await app.start();
    await untilFailed(agent);
    await untilTold('bad', 'one');
    expect(visible()).toBe('one');
  });

  test('a torn set is written anew', async () => {
    leaveFiles('one');
    truncateSync(realpathSync(join(root, 'app.conf')), 0);
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
  });
});

describe('an update', () => {
  /** An agent whose application runs with the content `one`. */
  async function startWithOne(setup?: Setup) {
    const started = startAgent(setup);
    source.show(config('one'));
    await untilReady(started.agent);
    return started;
  }

  const refusesBad = ['sh', '-c', 'echo "in $0:"; cat "$0"; ! grep -q bad "$0"'];

  test('that --verify-exec refuses is taken back, and the application is not told', async () => {
    const { agent, registry } = await startWithOne({ verifyExec: [...refusesBad, join(root, 'app.conf')] });
    source.show(config('bad', { new: 'key' }));
    await untilFailed(agent);
    await until('the old files', () =>
      messages().includes('config rejected; the last good files are in place'),
    );
    expect(agent.state()).toEqual({
      notReady: undefined,
      failure: 'sh ended with exit code 1',
      isRestored: true,
      interruption: undefined,
    });
    expect(visible()).toBe('one');
    expect(existsSync(join(root, 'new'))).toBe(false);
    expect(app.told).toEqual(['one']);
    expect(registry.render()).toContain('trimtab_agent_last_reload_successful 0');
    expect(logged.at(-1)).toMatchObject({
      reason: 'sh ended with exit code 1',
      output: expect.stringMatching(/bad$/),
    });
    source.show(config('two'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('that the application refuses is taken back, and the application is told again', async () => {
    const { agent } = await startWithOne();
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one');
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      failure: expect.stringContaining('the response has status 500'),
      isRestored: true,
    });
    expect(visible()).toBe('one');
    expect(isAccepted()).toBe(true);
    // A process that started after the files were written may have read those that were taken back.
    expect(ticks).toEqual([expect.any(Number), expect.any(Number), Number.POSITIVE_INFINITY]);
    expect(ticks.slice(0, 2).every(Number.isFinite)).toBe(true);
  });

  test('that was refused is not tried again, unless the configs change in between', async () => {
    const { agent } = await startWithOne();
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one');
    source.show(config('bad'));
    await clock.advance(3_600_000);
    source.show(config('one'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'bad', 'one']);
    source.show(config('bad'));
    await untilTold('one', 'bad', 'one', 'bad', 'one');
    await untilFailed(agent);
  });

  test('to the content that the application has clears a failure, and tells nobody', async () => {
    const { agent, registry } = await startWithOne();
    source.show(config('bad'));
    await untilFailed(agent);
    await until('the old files', () => visible() === 'one');
    const again = config('one');
    source.show(again);
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'bad', 'one']);
    expect(registry.render()).toContain(`resource_version="${again.resourceVersion}"} 1`);
  });

  test('while the application does not answer is taken back and tried again later', async () => {
    const { agent } = await startWithOne();
    await app.stop();
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('ECONNREFUSED');
    await untilLater('the old files', () =>
      logged.some(({ msg }) => String(msg).startsWith('config rejected')),
    );
    expect(visible()).toBe('one');
    expect(agent.state()).toMatchObject({ notReady: undefined, isRestored: false });
    await app.start();
    await untilWell(agent);
    expect(app.told.at(-1)).toBe('two');
    expect([visible(), isAccepted()]).toEqual(['two', true]);
  });

  test('that is edited back while the application does not answer tells it all the same', async () => {
    const { agent } = await startWithOne();
    await app.stop();
    source.show(config('two'));
    await untilLater('the rejection', () =>
      logged.some(({ msg }) => String(msg).startsWith('config rejected')),
    );
    await app.start();
    source.show(config('one'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'one']);
  });

  test('to an application that is unhealthy before is taken back, and tried again later', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    app.health = 503;
    source.show(config('two'));
    await untilFailed(agent);
    expect(app.told).toEqual(['one']);
    expect(visible()).toBe('one');
    app.health = 200;
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('that repairs an unhealthy application is applied at the second attempt', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    app.health = 503;
    source.show(config('repair'));
    await untilFailed(agent);
    expect(app.told).toEqual(['one']);
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'repair']);
    expect(isAccepted()).toBe(true);
  });

  test('that makes the application unhealthy is taken back, and the application is told again', async () => {
    const { agent } = await startWithOne({ verifiesHttp: true });
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('two'));
    await untilTold('one', 'two');
    app.health = 500;
    held.resolve();
    await untilTold('one', 'two', 'one');
    await untilFailed(agent);
    expect(visible()).toBe('one');
  });

  test('that cannot be written leaves the old files, and is tried again', async () => {
    const { agent } = await startWithOne();
    writeFileSync(join(root, 'new'), 'theirs');
    source.show(config('two', { new: 'key' }));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({
      notReady: undefined,
      failure: expect.stringContaining('new exists and was not written by the agent. Move it away'),
    });
    expect([visible(), visible('new')]).toEqual(['one', 'theirs']);
    await clock.advance(120_000);
    rmSync(join(root, 'new'));
    await untilWell(agent);
    expect([visible(), visible('new')]).toEqual(['two', 'key']);
    expect(app.told).toEqual(['one', 'two']);
    expect(messages().filter((message) => message === 'config could not be written; retrying')).toHaveLength(
      1,
    );
  });

  test('whose acceptance cannot be recorded on a full disk is tried again', async () => {
    let isFull = false;
    const onFileStep = (step: string) => {
      if (isFull && step === 'prepare ..good')
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    };
    const { agent } = await startWithOne({ onFileStep });
    isFull = true;
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('no space is left');
    expect(visible()).toBe('two');
    isFull = false;
    await untilWell(agent);
    expect(isAccepted()).toBe(true);
  });

  test('with a key that cannot be a file is reported, and the files stay', async () => {
    const { agent } = await startWithOne();
    source.show(config('two', { '..data': 'x' }));
    await untilFailed(agent);
    expect(agent.state().failure).toContain("the path '..data' begins with '..'");
    expect(visible()).toBe('one');
    source.show(config('two'));
    await untilWell(agent);
    expect(app.told).toEqual(['one', 'two']);
  });

  test('of ten changes during a slow reload applies the last one, and reloads never overlap', async () => {
    const { agent } = await startWithOne();
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('two'));
    await untilTold('one', 'two');
    for (let i = 0; i < 10; i++) {
      source.show(config(`change ${i}`));
      await clock.advance(10);
    }
    expect(visible()).toBe('two');
    held.resolve();
    await untilTold('one', 'two', 'change 9');
    await untilWell(agent);
    expect(app.mostAtOnce).toBe(1);
    expect(visible()).toBe('change 9');
  });

  test('that replaces one which was just refused is applied at once', async () => {
    await startWithOne();
    const held = Promise.withResolvers<void>();
    app.release = held.promise;
    source.show(config('bad'));
    await untilTold('one', 'bad');
    source.show(config('two'));
    held.resolve();
    await untilTold('one', 'bad', 'one', 'two');
  });
});

describe('a config that is missing', () => {
  test('is waited for', async () => {
    const { agent } = startAgent();
    source.show('missing');
    await until('a report', () => messages().includes('waiting for configs'));
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web does not exist',
      failure: undefined,
    });
    source.show('missing');
    await clock.advance(60_000);
    expect(readdirSync(root)).toEqual([]);
    source.show(config('one'));
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect(messages().filter((message) => message === 'waiting for configs')).toHaveLength(1);
  });

  test('after it was there leaves the files, and tells nobody', async () => {
    const { agent } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    source.show('missing');
    await until('a report', () => messages().includes('waiting for configs'));
    await clock.advance(60_000);
    expect(agent.state()).toMatchObject({ notReady: undefined, failure: undefined });
    expect(visible()).toBe('one');
    expect(messages()).not.toContain('configs are not available; using the files on disk');
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilTold('one', 'two');
  });

  test('of two leaves the files of both', async () => {
    const { agent } = startAgent();
    const other = { ...ref, name: 'other' };
    source.show(config('one'), config('x', { other: '1' }, other));
    await untilReady(agent);
    source.show(config('two'), 'missing');
    await clock.advance(60_000);
    expect([visible(), visible('other')]).toEqual(['x', '1']);
    expect(app.told).toEqual(['x']);
  });
});

describe('without the API server', () => {
  const away = { forSeconds: 1, problem: 'watch of configmap shop/web: ECONNREFUSED' };

  test('the files on disk are used after some time, and the application is not told', async () => {
    leaveFiles('one');
    source.problem = away;
    const { agent, registry } = startAgent();
    await clock.advance(2_999);
    expect(agent.state().notReady).toBe(
      'configmap shop/web is not known yet; watch of configmap shop/web: ECONNREFUSED',
    );
    await clock.advance(1);
    await untilReady(agent);
    expect(agent.state()).toMatchObject({ failure: undefined, interruption: away });
    expect(logged.at(-1)).toMatchObject({
      level: 'warn',
      msg: 'configs are not available; using the files on disk',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(registry.render()).toContain(`resource_version="${version}"} 1`);
    expect(app.told).toEqual([]);

    source.problem = undefined;
    source.show(config('two'));
    await untilTold('two');
  });

  test('the same content afterwards tells nobody', async () => {
    leaveFiles('one');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilTold('two');
  });

  test('a set that was not accepted is taken back, and the application is told', async () => {
    leaveFiles('one', 'two');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    expect(app.told).toEqual(['one']);
    expect([visible(), isAccepted()]).toEqual(['one', true]);
  });

  test('an application that could not be told about the files is told when the API server is back', async () => {
    leaveFiles('one', 'two');
    await app.stop();
    const { agent } = startAgent();
    await untilLater('readiness', () => agent.state().notReady === undefined);
    await app.start();
    source.show(config('one'));
    await untilTold('one');
  });

  test('a set that was never accepted is used when there is no other', async () => {
    leaveFiles(undefined, 'one');
    const { agent } = startAgent();
    await clock.advance(3_000);
    await untilReady(agent);
    expect(visible()).toBe('one');
    source.show(config('one'));
    await untilTold('one');
  });

  test('and without files the agent is not ready', async () => {
    source.problem = away;
    const { agent } = startAgent();
    await clock.advance(3_600_000);
    expect(agent.state()).toMatchObject({
      notReady: 'configmap shop/web is not known yet; watch of configmap shop/web: ECONNREFUSED',
      failure: undefined,
    });
  });
});

describe('as the parent of the application', () => {
  /** Writes down the content that it finds at its start and at each SIGHUP. */
  const script = `trap 'echo "reloaded $(cat $1/config/app.conf)" >> $1/events' HUP
    echo "started $(cat $1/config/app.conf)" >> $1/events
    while :; do sleep 0.01; done`;
  const events = () =>
    existsSync(join(folder, 'events')) ? readFileSync(join(folder, 'events'), 'utf8').trim().split('\n') : [];
  const untilEvents = (...expected: string[]) =>
    until(`events ${expected}`, () => String(events()) === String(expected), events);
  const refusesBad = () => ['sh', '-c', '! grep -q bad "$0"', join(root, 'app.conf')];

  test('the agent starts it when the first set is there, and signals it for the next ones', async () => {
    const { agent, application } = startAgent({ script });
    source.show('missing');
    await clock.advance(60_000);
    expect(application?.isStarted).toBe(false);
    source.show(config('one'));
    await untilReady(agent);
    expect(application?.isStarted).toBe(true);
    await untilEvents('started one');
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('the agent starts it with the same files after a restart', async () => {
    leaveFiles('one');
    const { agent } = startAgent({ script });
    source.show(config('one'));
    await untilReady(agent);
    await untilEvents('started one');
  });

  test('a first set that --verify-exec refuses does not start it; the next one does', async () => {
    const { agent, application } = startAgent({ script, verifyExec: refusesBad() });
    source.show(config('bad'));
    await untilFailed(agent);
    expect(agent.state()).toMatchObject({ notReady: 'sh ended with exit code 1', isRestored: false });
    expect(application?.isStarted).toBe(false);
    source.show(config('one'));
    await untilReady(agent);
    await untilEvents('started one');
  });

  test('a first set that --verify-exec refuses starts it with the last good files', async () => {
    leaveFiles('one');
    const { agent } = startAgent({ script, verifyExec: refusesBad() });
    source.show(config('bad'));
    await untilReady(agent);
    await untilEvents('started one');
    expect(agent.state()).toMatchObject({ failure: 'sh ended with exit code 1', isRestored: true });
    expect(visible()).toBe('one');
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('an update that it cannot be told about is taken back, and tried again later', async () => {
    const slowly = `echo "started $(cat $1/config/app.conf)" >> $1/events
      until [ -e $1/handles ]; do sleep 0.01; done
      ${script}`;
    const { agent } = startAgent({ script: slowly });
    source.show(config('one'));
    await untilEvents('started one');
    source.show(config('two'));
    await untilFailed(agent);
    expect(agent.state().failure).toContain('has no handler for SIGHUP, which would end it');
    await untilLater('the rejection', () =>
      messages().some((message) => /^config rejected/.test(`${message}`)),
    );
    expect(visible()).toBe('one');
    writeFileSync(join(folder, 'handles'), '');
    await untilWell(agent);
    expect([visible(), isAccepted()]).toEqual(['two', true]);
    await until('the reload', () => events().at(-1) === 'reloaded two', events);
  });

  test('without the API server the agent starts it with the files on disk', async () => {
    leaveFiles('one', 'two');
    const { agent, application } = startAgent({ script });
    await clock.advance(2_999);
    expect(application?.isStarted).toBe(false);
    await clock.advance(1);
    await untilReady(agent);
    await untilEvents('started one');
    source.show(config('one'));
    await clock.advance(60_000);
    source.show(config('two'));
    await untilEvents('started one', 'reloaded two');
  });

  test('without the API server and with files that were never accepted the agent starts it as well', async () => {
    leaveFiles(undefined, 'one');
    const { agent } = startAgent({ script });
    await clock.advance(3_000);
    await untilReady(agent);
    await untilEvents('started one');
  });
});

describe('the output of a command or a response', () => {
  const secret = { ...ref, kind: 'Secret' } as const;

  test.each([
    ['is logged when all configs are ConfigMaps', ref, "cannot parse 'bad s3cret'"],
    ['is not logged when one config is a Secret', secret, '[not shown: one of the configs is a Secret]'],
  ])('%s', async (_, of, output) => {
    const { agent } = startAgent();
    source.show(config('one', {}, of), config('one', {}, ref));
    await untilReady(agent);
    source.show(config('one', {}, of), config('bad s3cret', {}, of));
    await untilTold('one', 'bad s3cret', 'one');
    await until('the log', () => messages().includes('config rejected; the last good files are in place'));
    expect(logged.at(-1)).toMatchObject({ level: 'error', output });
    expect(JSON.stringify(logged).includes('s3cret')).toBe(of === ref);
    expect(JSON.stringify(agent.state())).not.toContain('s3cret');
  });
});

describe('the agent ends', () => {
  test('after the first set with --once', async () => {
    const { running } = startAgent({ once: true });
    source.show(config('one'));
    await running;
    expect(visible()).toBe('one');
    expect(app.told).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('with its signal, and leaves no timer', async () => {
    const { agent, stop, running } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  test('without an error in the middle of a reload, and the next process tells the application', async () => {
    const { agent, stop, running } = startAgent();
    source.show(config('one'));
    await untilReady(agent);
    app.release = new Promise(() => {});
    source.show(config('two'));
    await untilTold('one', 'two');
    stop.abort();
    await running;
    expect(messages().some((message) => String(message).startsWith('config rejected'))).toBe(false);
    app.release = Promise.resolve();
    const next = startAgent();
    source.show(config('two'));
    await untilTold('one', 'two', 'two');
    await untilReady(next.agent);
    expect(visible()).toBe('two');
  });

  test('without an error in the middle of a check, and does not reject the set', async () => {
    const verifyExec = ['sh', '-c', 'grep -q one "$0" || { : > "$1"; sleep 1000; }'];
    const started = join(folder, 'started');
    const { agent, stop, running } = startAgent({
      verifyExec: [...verifyExec, join(root, 'app.conf'), started],
    });
    source.show(config('one'));
    await untilReady(agent);
    source.show(config('two'));
    await until('the check', () => existsSync(started));
    stop.abort();
    await running;
    expect(messages()).toEqual(['config applied']);
  });

  test('without an error while it waits for the application', async () => {
    await app.stop();
    const { stop, running } = startAgent();
    source.show(config('one'));
    await until('a wait between two attempts', () => existsSync(join(root, 'app.conf')) && clock.pending > 0);
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  test('with what to do when the root cannot be used', async () => {
    writeFileSync(root, 'theirs');
    const { running } = startAgent();
    await expect(running).rejects.toThrow(
      `cannot write to ${root}: a file is in the place of a folder (EEXIST). Remove it, or choose another --configroot.`,
    );
  });
});
