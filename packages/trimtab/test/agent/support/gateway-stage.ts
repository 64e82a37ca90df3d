import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterEach, beforeEach } from 'vitest';
import type { EndpointConfig } from '../../../src/agent/endpoint/dictionary.ts';
import type { HooksOf } from '../../../src/agent/reload/container-reloader.ts';
import { startGatewayAgent } from '../../../src/agent/run-gateway-agent.ts';
import type { InjectedConfig, InjectedPod } from '../../../src/api/injected-pod.ts';
import { objectName, ScriptedGateway } from './scripted-gateway.ts';

export let folder: string;
export let gateway: ScriptedGateway;
export let app: ReloadedApplication;
export let clock: ManualClock;
export let logged: Record<string, unknown>[];
/** What the endpoint would serve, as `foo 1.0.0 {"app.conf":"one"}`. */
export let published: string[];
const stops: (() => Promise<void>)[] = [];

/** Gives each test of a file its own pod, gateway, application and clock. */
export function useGatewayStage(): void {
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'test-gateway-agent-'));
    for (const name of ['private', 'public', 'identity', 'birth', 'volumes']) mkdirSync(join(folder, name));
    writeToken('token-1');
    clock = new ManualClock();
    logged = [];
    published = [];
    gateway = new ScriptedGateway();
    app = new ReloadedApplication();
    await gateway.start();
    await app.start();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
    await gateway.stop();
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  });
}

export function writeToken(token: string): void {
  writeFileSync(join(folder, 'identity/token'), token);
}

/** A config of the pod, with the version of its birth as the kubelet mounts it. */
export function bornWith(
  name: string,
  data: Record<string, string>,
  { kind = 'ConfigMap' as InjectedConfig['kind'], version = '1.0.0' } = {},
): InjectedConfig {
  const birthPath = join(folder, 'birth', `${kind}-${name}`);
  mkdirSync(birthPath, { recursive: true });
  for (const [key, text] of Object.entries(data)) writeFileSync(join(birthPath, key), text);
  return { kind, name, version, object: objectName(name, version), birthPath };
}

export const volumePath = (name = 'main') => join(folder, 'volumes', name);
export const visible = (path = 'app.conf', volume = 'main') =>
  readFileSync(join(volumePath(volume), path), 'utf8');

/** A pod with one volume of these configs, whose container `app` is told over HTTP. */
export function podOf(configs: readonly InjectedConfig[], more: Partial<InjectedPod> = {}): InjectedPod {
  return {
    configs,
    volumes: [
      {
        name: 'main',
        path: volumePath(),
        sources: configs.map((_, config) => ({ config })),
        fileMode: 0o640,
      },
    ],
    port: 0,
    reload: [{ container: 'app', action: { by: 'http', method: 'POST', url: app.url } }],
    verify: [],
    ...more,
  };
}

/** Starts an agent, as a new process in the same pod does. */
export function startAgent(pod: InjectedPod, { hooksOf }: { hooksOf?: HooksOf } = {}) {
  const stop = new AbortController();
  const checks = new HealthChecks();
  const { agent, ended } = startGatewayAgent({
    settings: { pod, gateway: gateway.url, gatewayCa: gateway.ca },
    namespace: 'shop',
    paths: {
      identityToken: join(folder, 'identity/token'),
      private: join(folder, 'private'),
      public: join(folder, 'public'),
    },
    timings: { attemptMs: 1_000_000, acknowledgeMs: 30_000, restoreMs: 10_000 },
    publish: (configs) => published.push(configs.map(shownConfig).join(' ')),
    ...(hooksOf && { hooksOf }),
    log: createLogger({
      program: 'test',
      level: 'info',
      destination: { write: (line) => void logged.push(JSON.parse(line)) },
    }),
    metrics: createRegistry(),
    checks,
    signal: stop.signal,
    clock,
  });
  ended.catch(() => {});
  const end = async () => {
    stop.abort();
    await ended.catch(() => {});
  };
  stops.push(end);
  return { agent, checks, end, ended };
}

function shownConfig({ name, version, entries }: EndpointConfig): string {
  return `${name} ${version} ${JSON.stringify(Object.fromEntries([...entries].map(([key, text]) => [key, String(text)])))}`;
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
      await clock.advance(100);
      return { seen: JSON.stringify(describeState()) };
    },
    { everyMs: 2 },
  );

export const untilReady = (agent: { state(): { notReady: string | undefined } }) =>
  until(
    'readiness',
    () => agent.state().notReady === undefined,
    () => agent.state(),
  );
export const untilTold = (...contents: string[]) =>
  until(
    `to tell ${contents}`,
    () => String(app.told) === String(contents),
    () => ({ told: app.told, logged }),
  );
export const untilAcked = (...results: string[]) =>
  until(
    `acknowledgements ${results}`,
    () => String(gateway.results()) === String(results),
    () => ({ acks: gateway.acks, logged }),
  );

/** An application that reads `app.conf` at `POST /-/reload`. It refuses content with `bad` in it. */
export class ReloadedApplication {
  /** The contents that it found when it was told. */
  readonly told: string[] = [];
  /** Bodies of requests. */
  readonly bodies: string[] = [];
  /** Requests wait for it. */
  release: Promise<void> = Promise.resolve();
  /** Status of GET requests. */
  health = 200;
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/-/reload`;
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#handle(request, response));
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

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.writeHead(this.health).end();
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    this.bodies.push(body);
    const content = visible();
    this.told.push(content);
    await this.release;
    const isBad = content.includes('bad');
    response.writeHead(isBad ? 422 : 200).end(isBad ? 'line 1: unknown directive' : '');
  }
}
