import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { balancerAddress } from './local-ports.ts';
import type { Target } from './targets.ts';

interface BalancerOptions {
  /** Ports to try, in order of preference; 0 means any port. */
  candidates: readonly number[];
  clock?: Clock;
}

/** Connection timeout of a target. Targets are on this machine, so a slower one is considered dead. */
const connectMs = 5_000;

/** Balances one port on 127.0.0.1: each connection goes to the next target and stays there. */
export class TcpBalancer {
  readonly port: number;
  readonly #server: Server;
  readonly #clock: Clock;
  readonly #open = new Set<Socket>();
  #targets: readonly Target[] = [];
  #turn = 0;

  /** Rejects with the error of the last candidate when none is available. */
  static async listen({ candidates, clock = systemClock }: BalancerOptions): Promise<TcpBalancer> {
    let problem: unknown = new RangeError('no candidate ports');
    for (const port of candidates) {
      // A side that has sent everything may still receive, so the two directions end independently.
      const server = createServer({ allowHalfOpen: true, pauseOnConnect: true });
      try {
        await listening(server, port);
        return new TcpBalancer(server, clock);
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  private constructor(server: Server, clock: Clock) {
    this.#server = server;
    this.#clock = clock;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (client) => this.#forward(client));
  }

  /** Sets the targets of new connections; open connections keep theirs. */
  setTargets(targets: readonly Target[]): void {
    this.#targets = targets;
  }

  /** Stops accepting connections; open ones have `graceMs` to end. */
  async close(graceMs = 0): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const cancel = this.#clock.after(graceMs, () => {
      for (const socket of this.#open) socket.destroy();
    });
    await closed;
    cancel();
  }

  #forward(client: Socket): void {
    this.#track(client);
    const first = this.#turn++;
    const all = this.#targets;
    // Every target is tried once; a target that does not accept the connection is skipped.
    const order = all.map((_, index) => all[(first + index) % all.length] as Target);
    void this.#connectFirst(order, client).then((upstream) => {
      if (upstream === undefined || client.destroyed) {
        upstream?.destroy();
        // The connection is reset at once, like that to a port without a listener, instead of timing out.
        client.resetAndDestroy();
        return;
      }
      join(client, upstream);
    });
  }

  async #connectFirst(targets: readonly Target[], client: Socket): Promise<Socket | undefined> {
    for (const target of targets) {
      if (client.destroyed) return undefined;
      const upstream = await this.#connect(target);
      if (upstream !== undefined) return upstream;
    }
    return undefined;
  }

  #connect({ host, port }: Target): Promise<Socket | undefined> {
    return new Promise((resolve) => {
      const upstream = connect({ host, port, allowHalfOpen: true, noDelay: true });
      this.#track(upstream);
      const cancel = this.#clock.after(connectMs, () => upstream.destroy());
      upstream.once('connect', () => {
        cancel();
        resolve(upstream);
      });
      upstream.once('close', () => {
        cancel();
        resolve(undefined);
      });
    });
  }

  #track(socket: Socket): void {
    this.#open.add(socket);
    // An error also closes the socket, and closing it closes the other side.
    socket.on('error', () => {});
    socket.once('close', () => this.#open.delete(socket));
  }
}

function join(client: Socket, upstream: Socket): void {
  client.setNoDelay(true);
  client.pipe(upstream);
  upstream.pipe(client);
  const endTogether = (one: Socket, other: Socket) =>
    one.once('close', (hadError) => {
      if (hadError) other.resetAndDestroy();
      else if (!other.writableEnded) other.end();
    });
  endTogether(client, upstream);
  endTogether(upstream, client);
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: balancerAddress, port, exclusive: true }, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
