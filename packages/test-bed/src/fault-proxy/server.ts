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
  /** Where requests go, and as whom: unless the caller sends an Authorization header of its own. */
  access: ClusterAccess;
  seed?: number;
  /** Serve HTTPS, with an authority of the proxy's own: kubectl and other Go clients send credentials only then. */
  tls?: boolean;
  /** Whose time delays and standstills take; the system's unless told. */
  clock?: Clock;
  /** Tells writes apart by more than their first line, for `Match.site`. Asked once for every write. */
  siteOf?: (request: RequestInfo, body: string) => string | undefined;
}

export interface Injected {
  id: number;
  /** Resolves when it has fired for the first time; for an `after` fault, when the server has answered. */
  fired: Promise<void>;
  /** It fires no more; what it did stays in the report. */
  retire(): void;
}

/** Stands between a client and an API server on 127.0.0.1 and harms what passes, as the test commands. */
export class FaultProxy implements ProxyControl {
  readonly seed: number;
  /** The certificate authority to trust, when it serves HTTPS. */
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
  /** The HTTP server forgets connections that were upgraded, and waits for them all the same. */
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

  /** One that only `connect` leads to. */
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
    // A connection that the proxy closes by itself would be a fault that nobody asked for.
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

  /** For clients in the test's own process. They have the proxy's identity. */
  access(): ClusterAccess {
    return {
      server: this.url,
      namespace: this.#namespace,
      tls: async () => (this.authority === undefined ? {} : { ca: this.authority }),
      headers: async () => ({}),
      invalidate() {},
    };
  }

  /** A connection from within this process. */
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

  /** Clients that wait for a request which stands still; one that was killed is not among them. */
  get stalledClients(): number {
    return this.#stalls.size;
  }

  /** Lets everything go on that stands still. */
  release(): void {
    this.#stalls.release();
  }

  /** Breaks watches that are open now, without waiting for an event; says how many. */
  breakWatches(how: WatchBreak, when: Match = {}): Promise<number> {
    return this.#watches.break(how, when);
  }

  report(): RuleReport[] {
    return reportOn(this.#plan.rules);
  }

  /** One line for each rule, and for each request that failed without the proxy's doing. */
  describe(): string {
    const accidents = this.#accidents.map((accident) => `\n  not asked for: ${accident}`);
    return describeReport(this.seed, this.report()) + accidents.join('');
  }

  /** Throws, with the whole report, when an injected fault never happened. */
  assertFired(): void {
    assertAllFired(this.seed, this.report());
  }

  async close(): Promise<void> {
    // Not by a release: a write that stands still must not happen because its test is over.
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

  /** Answers the body when it had to be read for that. */
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

  /** The API server is gone, or the client is: either way this connection is over, as it would be without us. */
  #accident(incoming: IncomingMessage, client: ServerResponse, error: Error & { code?: string }): void {
    const what = describeRequest(requestInfo(incoming.method ?? 'GET', incoming.url ?? '/'));
    if (!client.destroyed) this.#accidents.push(`${what}: ${error.code ?? error.message}`);
    resetConnection(client);
  }

  /** Counts the firing at once, so that a rule for one request does not meet two that come together. */
  #record(rule: Rule, what: string): Announce {
    const index = rule.fired.push(what) - 1;
    return (note) => {
      if (note !== undefined) rule.fired[index] = `${what} (${note})`;
      this.#announcements.get(rule.id)?.();
    };
  }
}

/** Only JSON has lines; protobuf watches pass through as they are. */
function isWatch(request: RequestInfo, answer: IncomingMessage): boolean {
  const json = answer.headers['content-type']?.startsWith('application/json') ?? false;
  return request.verb === 'watch' && answer.statusCode === 200 && json;
}
