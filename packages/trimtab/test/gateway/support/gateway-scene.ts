import { createMaterial } from '@trimtab/kube/tls/material.ts';
import type { Address, Engine, Identity } from '@trimtab/test-bed/engines/engine.ts';
import { serverCertificate } from '@trimtab/test-bed/fault-proxy/server-certificate.ts';
import {
  type GatewayUnderTest,
  type GatewayUnderTestOptions,
  startGatewayUnderTest,
} from './gateway-under-test.ts';

type Options = Partial<GatewayUnderTestOptions>;

export interface Answered {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of every shape.
  json: any;
}

/** A gateway on a free port, in front of the engine's API server. */
export class GatewayScene {
  readonly #engine: Engine;
  readonly #gateway: GatewayUnderTest;
  #authority: string | undefined;

  private constructor(engine: Engine, gateway: GatewayUnderTest) {
    this.#engine = engine;
    this.#gateway = gateway;
  }

  static async start(
    engine: Engine,
    who?: Identity,
    { access: given, ...options }: Options = {},
  ): Promise<GatewayScene> {
    const access = given ?? (await engine.access(who));
    return new GatewayScene(engine, await startGatewayUnderTest({ access, ...options }));
  }

  /** Serves HTTPS, because kubectl sends its token over HTTPS only. */
  static async startSecure(engine: Engine, options: Options = {}): Promise<GatewayScene> {
    const { cert: certificate, key, authority } = serverCertificate();
    const material = createMaterial({ certificate, key });
    const scene = await GatewayScene.start(engine, undefined, { tls: { material }, ...options });
    scene.#authority = authority;
    return scene;
  }

  /** For kubeconfigs that point to this gateway. */
  get address(): Address {
    return { url: this.url, authority: this.#authority };
  }

  get url(): string {
    return this.#gateway.url;
  }

  metrics(): Promise<string> {
    return this.#gateway.metrics();
  }

  /** Sends one request with a bearer token of a ServiceAccount, which represents a person. */
  async call(who: Identity & { serviceAccount: string }, request: Call): Promise<Answered> {
    return this.callWith(await this.tokenOf(who), request);
  }

  async tokenOf(who: Identity & { serviceAccount: string }): Promise<string> {
    const { authorization = '' } = await (await this.#engine.access(who)).headers();
    return authorization.replace(/^Bearer /, '');
  }

  /** Sends one request with any bearer token. */
  async callWith(token: string, request: Call): Promise<Answered> {
    const authorization = `Bearer ${token}`;
    const { method = 'GET', path, body, contentType = 'application/json', headers = {} } = request;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': contentType }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parsed(text) };
  }

  close(graceMs = 1_000): Promise<void> {
    return this.#gateway.close(graceMs);
  }
}

export interface Call {
  method?: string;
  path: string;
  body?: unknown;
  contentType?: string;
  headers?: Record<string, string>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
