/** Sends requests from several clients, each on a new connection, until it is stopped. */
export class Load {
  readonly answers: string[] = [];
  readonly failures: string[] = [];
  readonly #stop = new AbortController();
  readonly #clients: Promise<void>[];

  constructor(url: string, clients = 4) {
    this.#clients = Array.from({ length: clients }, () => this.#client(url));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#clients);
  }

  async #client(url: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        const response = await fetch(url, { headers: { connection: 'close' } });
        const body = (await response.text()).trim();
        if (response.status === 200) this.answers.push(body);
        else this.failures.push(`${response.status} ${body}`);
      } catch (error) {
        this.failures.push(String((error as Error).cause ?? error));
      }
    }
  }
}
