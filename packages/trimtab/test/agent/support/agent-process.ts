import { type ChildProcess, spawn } from 'node:child_process';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { agentCommand } from './agent-command.ts';

interface LogLine {
  level: string;
  msg: string;
  [field: string]: unknown;
}

/** `trimtab-agent` in its own process, as users run it. */
export class AgentProcess implements AsyncDisposable {
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  #output = '';
  #log = '';

  /** `command` replaces the agent by another program that is started in the same way. */
  constructor(flags: readonly string[], { command = agentCommand(flags), env = {} } = {}) {
    const [file, args] = command;
    this.#child = spawn(file, args, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, POD_IP: '127.0.0.1', TRIMTAB_AGENT_HEALTH_PORT: '0', ...env },
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#log += text;
    });
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve(code ?? (signal === 'SIGKILL' ? 137 : 128)));
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  /** What the agent and its application wrote to standard output. */
  get output(): string {
    return this.#output;
  }

  get log(): string {
    return this.#log;
  }

  lines(message?: string): LogLine[] {
    return this.#log
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
      .filter(({ msg }) => message === undefined || msg === message);
  }

  /** Waits until the log has this message for the n-th time, and returns that line. */
  async logs(message: string, times = 1): Promise<LogLine> {
    return waitFor(`the agent logs '${message}'`, async () => {
      const line = this.lines(message)[times - 1];
      return line === undefined ? { seen: this.#log.slice(-1_500) } : { met: line };
    });
  }

  /** Status and body of a path of the health server. */
  async health(path: string): Promise<{ status: number; body: string }> {
    const { url } = await this.logs('server listening');
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: await response.text() };
  }

  async isReady(): Promise<void> {
    await waitFor('the agent is ready', async () => {
      const { status, body } = await this.health('/readyz');
      return status === 200 ? { met: true } : { seen: `${body}\n${this.#log.slice(-500)}` };
    });
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    const killed = setTimeout(() => this.#child.kill('SIGKILL'), 5_000);
    await this.ended;
    clearTimeout(killed);
  }
}
