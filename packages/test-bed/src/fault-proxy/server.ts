import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ClusterAccess } from '@trimtab/kube/access.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { inProcessSockets } from '@trimtab/kube/http/in-process-socket.ts';
import { controlPrefix, type ProxyControl, serveControl, type WatchBreak } from './control.ts';
import type { Injection, Match } from './faults.ts';
import { Forwarder } from './forward.ts';
import { OpenWatches } from './open-watches.ts';
import { Plan, type Rule } from './plan.ts';
import { assertAllFired, describeReport, type RuleReport, reportOn } from './report.ts';
import { describeRequest, isWrite, type RequestInfo, requestInfo } from './request-info.ts';
import { type Announce, bodyOf, headersOf, passOn, RequestRelay } from './request-relay.ts';
import { resetConnection } from './reset-connection.ts';
import { serverCertificate } from './server-certificate.ts';
import { Stalls } from './stalls.ts';
import { relayUpgrade } from './upgrade.ts';
import { WatchFaults } from './watch-faults.ts';
import { WatchRelay } from './watch-stream.ts';

export interface FaultProxyOptions {
  /** Server and identity for forwarded requests. A client's own Authorization header takes precedence. */
  access: ClusterAccess;
  seed?: number;
  /** Serves HTTPS with the proxy's own CA. kubectl and other Go clients send credentials only over HTTPS. */
  tls?: boolean;
  /** Clock for delays and stalls. Defaults to the system clock. */
  clock?: Clock;
  /** Names a write by its request and body, for `Match.site`. Called once per write. */
  siteOf?: (request: RequestInfo, body: string) => string | undefined;
}

export interface Injected {
  id: number;
  /** Resolves when the fault has fired for the first time. For an `after` fault, when the server has responded. */
  fired: Promise<void>;
  /** Stops the fault from firing. Its firings stay in the report. */
  retire(): void;
}

/** A proxy on 127.0.0.1 between a client and an API server that injects faults at the request of a test. */
export class FaultProxy implements ProxyControl {
  readonly seed: number;
  /** PEM of the CA to trust, when the proxy serves HTTPS. */
  readonly authority: string | undefined;
  readonly #namespace: string;
  readonly #siteOf: FaultProxyOptions['siteOf'];
  readonly #server: Server;
  readonly #forwarder: Forwarder;
  readonly #plan: Plan;
  readonly #clock: Clock;
  readonly #stalls: Stalls;
  readonly #watches = new OpenWatches();
  readonly #relay: RequestRelay;
  readonly #announcements = new Map<number, () => void>();
  readonly #accidents: string[] = [];
  /** Upgraded connections. The HTTP server no longer closes them, but still waits for them when it is closed. */
  readonly #upgraded = new Set<Duplex>();
  readonly #inProcess = new Set<Socket>();

  static async start(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options, await Forwarder.to(options.access));
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** A proxy without a port; it is reachable only through `connect`. */
  static async inProcess(options: FaultProxyOptions): Promise<FaultProxy> {
    return new FaultProxy(options, await Forwarder.to(options.access));
  }

  private constructor(options: FaultProxyOptions, forwarder: Forwarder) {
    this.#clock = options.clock ?? systemClock;
    this.#stalls = new Stalls(this.#clock);
    this.seed = options.seed ?? 1;
    this.#plan = new Plan(this.seed);
    this.#forwarder = forwarder;
    this.#relay = new RequestRelay(forwarder, this.#stalls, this.#clock);
    this.#namespace = options.access.namespace;
    this.#siteOf = options.siteOf;
    const certificate = options.tls ? serverCertificate() : undefined;
    this.authority = certificate?.authority;
    this.#server = certificate ? createTlsServer(certificate) : createServer();
    this.#server.on('request', (incoming, client) => {
      this.#serve(incoming, client).catch((error) => this.#accident(incoming, client, error));
    });
    // A connection that the proxy closes on its own timeout would be a fault that was not injected.
    this.#server.keepAliveTimeout = 0;
    this.#server.requestTimeout = 0;
    this.#server.on('upgrade', (incoming, client, head) => {
      this.#upgraded.add(client);
      client.once('close', () => this.#upgraded.delete(client));
      relayUpgrade(this.#forwarder, incoming, client, head).catch(() => client.destroy());
    });
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.authority === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  /** Access for clients in the test's process. They use the proxy's identity. */
  access(): ClusterAccess {
    return {
      server: this.url,
      namespace: this.#namespace,
      tls: async () => (this.authority === undefined ? {} : { ca: this.authority }),
      headers: async () => ({}),
      invalidate() {},
    };
  }

  /** Opens an in-memory connection from this process. */
  connect(): Socket {
    const [near, far] = inProcessSockets();
    this.#inProcess.add(far);
    far.once('close', () => this.#inProcess.delete(far));
    this.#server.emit('connection', far);
    return near;
  }

  inject(injection: Injection): Injected {
    const rule = this.#plan.add(injection);
    const fired = new Promise<void>((resolve) => this.#announcements.set(rule.id, resolve));
    return { id: rule.id, fired, retire: () => this.retire(rule.id) };
  }

  retire(id: number): void {
    this.#plan.retire(id);
  }

  /** Number of connected clients whose requests or watches are stalled. */
  get stalledClients(): number {
    return this.#stalls.size;
  }

  /** Continues all stalled requests and watches. */
  release(): void {
    this.#stalls.release();
  }

  /** Breaks the watches that are open now, without waiting for an event. Returns their number. */
  breakWatches(how: WatchBreak, when: Match = {}): Promise<number> {
    return this.#watches.break(how, when);
  }

  report(): RuleReport[] {
    return reportOn(this.#plan.rules);
  }

  /** Describes each rule, and each request that failed without an injected fault, in one line. */
  describe(): string {
    const accidents = this.#accidents.map((accident) => `\n  not injected: ${accident}`);
    return describeReport(this.seed, this.report()) + accidents.join('');
  }

  /** Throws with the complete report when an injected fault never fired. */
  assertFired(): void {
    assertAllFired(this.seed, this.report());
  }

  async close(): Promise<void> {
    // Stalled requests are dropped, not released: a stalled write must not take effect because its test has ended.
    this.#server.closeAllConnections();
    for (const socket of [...this.#upgraded, ...this.#inProcess]) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
    this.#forwarder.close();
  }

  async #serve(incoming: IncomingMessage, client: ServerResponse): Promise<void> {
    if (incoming.url?.startsWith(controlPrefix)) return serveControl(this, incoming, client);
    const request = requestInfo(incoming.method ?? 'GET', incoming.url ?? '/');
    const body = await this.#nameSite(request, incoming);
    const hit = this.#plan.forRequest(request);
    const answer = hit
      ? await this.#relay.open(
          { incoming, client, request, ...(body && { body }) },
          hit.fault,
          this.#record(hit.rule, describeRequest(request)),
        )
      : await (body ? this.#forwarder.send(incoming, body) : this.#forwarder.stream(incoming, client));
    if (!answer) return;
    client.once('close', () => answer.destroy());
    if (isWatch(request, answer)) await this.#relayWatch(request, answer, client);
    else await passOn(answer, client);
  }

  /** Sets the site of a write. Returns the body if it had to be read. */
  async #nameSite(request: RequestInfo, incoming: IncomingMessage): Promise<Buffer | undefined> {
    if (this.#siteOf === undefined || !isWrite(request)) return undefined;
    const body = await bodyOf(incoming);
    const site = this.#siteOf(request, body.toString());
    if (site !== undefined) request.site = site;
    return body;
  }

  async #relayWatch(request: RequestInfo, answer: IncomingMessage, client: ServerResponse): Promise<void> {
    const faults = new WatchFaults((event) => {
      const hit = this.#plan.forEvent(request, event);
      if (!hit) return undefined;
      const what = [event.type, request.resource, event.namespace, event.name].filter(Boolean).join(' ');
      return { fault: hit.fault, fired: () => this.#record(hit.rule, what)() };
    });
    client.writeHead(answer.statusCode ?? 502, headersOf(answer));
    client.flushHeaders();
    const relay = new WatchRelay(answer, client, faults, this.#stalls, this.#clock);
    await this.#watches.during(request, relay, () => relay.run());
  }

  /** The API server or the client has disconnected: the connection is reset, as it would be without the proxy. */
  #accident(incoming: IncomingMessage, client: ServerResponse, error: Error & { code?: string }): void {
    const what = describeRequest(requestInfo(incoming.method ?? 'GET', incoming.url ?? '/'));
    if (!client.destroyed) this.#accidents.push(`${what}: ${error.code ?? error.message}`);
    resetConnection(client);
  }

  /** Counts the firing immediately: otherwise a rule for one request could fire for two concurrent requests. */
  #record(rule: Rule, what: string): Announce {
    const index = rule.fired.push(what) - 1;
    return (note) => {
      if (note !== undefined) rule.fired[index] = `${what} (${note})`;
      this.#announcements.get(rule.id)?.();
    };
  }
}

/** Only JSON watches have lines. Protobuf watches are relayed unchanged. */
function isWatch(request: RequestInfo, answer: IncomingMessage): boolean {
  const json = answer.headers['content-type']?.startsWith('application/json') ?? false;
  return request.verb === 'watch' && answer.statusCode === 200 && json;
}
