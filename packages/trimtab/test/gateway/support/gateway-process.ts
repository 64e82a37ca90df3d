import { type ChildProcess, spawn } from 'node:child_process';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Address, Engine } from '@trimtab/test-bed/engines/engine.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { trimtabCommand } from '../../support/trimtab-command.ts';

export interface GatewayProcessOptions {
  /** Kubeconfig of the process. Defaults to the administrator's. */
  kubeconfig?: string;
  /** Namespace of the Secret with the gateway's authority. */
  homeNamespace: string;
  /** Additional command-line flags. */
  flags?: string[];
}

/** `trimtab gateway` or `trimtab proxy` in a separate process, as users run it. */
export class GatewayProcess {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #output = { stdout: '', stderr: '' };

  private constructor(args: string[]) {
    this.#child = spawn(...trimtabCommand(args), { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'] as const)
      this.#child[name]?.setEncoding('utf8').on('data', (text: string) => {
        this.#output[name] += text;
      });
    this.ended = new Promise((resolve) => this.#child.once('close', (code) => resolve(code)));
  }

  static async start(engine: Engine, options: GatewayProcessOptions): Promise<GatewayProcess> {
    const { kubeconfig = engine.kubeconfig, homeNamespace, flags = [] } = options;
    return GatewayProcess.startWith([
      '--kubeconfig',
      kubeconfig,
      '--home-namespace',
      homeNamespace,
      ...flags,
    ]);
  }

  /** Starts `trimtab gateway` with these flags, on a free port of the loopback address by default. */
  static async startWith(flags: string[]): Promise<GatewayProcess> {
    const where = { '--host': '127.0.0.1', '--port': '0', '--health-port': '0' };
    const defaults = Object.entries(where).filter(([flag]) => !flags.includes(flag));
    const gateway = new GatewayProcess(['gateway', ...defaults.flat(), ...flags]);
    await gateway.#listens();
    return gateway;
  }

  /** Starts `trimtab proxy`. */
  static async startProxy(kubeconfig: string): Promise<GatewayProcess> {
    const proxy = new GatewayProcess(['proxy', '--port', '0', '--kubeconfig', kubeconfig]);
    await proxy.#listens();
    return proxy;
  }

  /** For measurements. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  get url(): string {
    return /https?:\/\/[\d.]+:\d+$/m.exec(this.#output.stdout)?.[0] ?? '';
  }

  /** URL of the health server, read from the log. */
  get healthUrl(): string {
    return /"server":"health","url":"([^"]+)"/.exec(this.#output.stderr)?.[1] ?? '';
  }

  get log(): string {
    return this.#output.stderr;
  }

  /** For kubeconfigs that point to this gateway, with the CA certificate from its ConfigMap. */
  async address(engine: Engine, homeNamespace: string): Promise<Address> {
    const client = await engine.connect();
    const where = { namespace: homeNamespace, name: 'trimtab-gateway-ca' };
    const trust = await client.get<KubeObject & { data: Record<string, string> }>(configMaps, where);
    return { url: this.url, authority: trust.data['ca.crt'] };
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async stop(): Promise<number | null> {
    this.#child.kill('SIGTERM');
    return this.ended;
  }

  async #listens(): Promise<void> {
    await waitFor('the gateway listens', async () => {
      if (this.url !== '') return { met: true };
      return { seen: `${this.#child.exitCode ?? ''} ${this.#output.stderr.slice(-500)}` };
    }).catch((error: unknown) => {
      this.#child.kill('SIGKILL');
      throw error;
    });
  }
}
