import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Bed } from '../bed.ts';
import { ensureDaemon, isDaemonAlive, lastLogLines, requireAlive } from '../process/daemon.ts';
import { waitFor } from '../process/wait-for.ts';
import type { BedFolder } from '../state/bed-folder.ts';
import { BedError } from '../terminal/bed-error.ts';

const program = fileURLToPath(import.meta.resolve('./relay-process.ts'));

/**
 * Starts the relay from the host into the bed's network. A socket belongs to the namespace in which it was opened, in
 * any process that holds it: the relay runs inside and receives a socket that listens outside.
 */
export async function ensureRelay(bed: Bed): Promise<void> {
  const { folder, state } = bed;
  if (!isDaemonAlive(folder, 'relay')) {
    rmSync(relaySocket(folder), { force: true });
    const outside = await listen(state.apiPort);
    try {
      const child = await ensureDaemon(folder, {
        name: 'relay',
        command: [
          ...bed.within,
          process.execPath,
          program,
          relaySocket(folder),
          String(state.apiPort),
          `${bed.address}:${state.ports.api}`,
        ],
        ipc: true,
      });
      if (child !== 'running') await handOver(child, outside);
    } finally {
      outside.close();
    }
  }
  await waitFor({
    what: 'the relay',
    seconds: 10,
    // Any response, also an error, shows that the relay works: no server may be listening inside yet.
    probe: async () => (await connectRequest(folder, '127.0.0.1:1')).status > 0,
    check: () => requireAlive(folder, 'relay'),
    details: () => lastLogLines(folder, 'relay'),
  });
}

/** Connects to an address inside the bed's network from anywhere on this machine. */
export async function dialThroughRelay(folder: BedFolder, host: string, port: number): Promise<Socket> {
  const { status, socket } = await connectRequest(folder, `${host}:${port}`);
  if (status === 200) return socket;
  socket.destroy();
  throw new Error(`no server is listening on ${host}:${port} inside the bed`);
}

function relaySocket(folder: BedFolder): string {
  return folder.at('relay.sock');
}

function connectRequest(folder: BedFolder, target: string): Promise<{ status: number; socket: Socket }> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: relaySocket(folder), method: 'CONNECT', path: target });
    outgoing.once('connect', (response, socket) => {
      resolve({ status: response.statusCode ?? 0, socket: socket as Socket });
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer({ pauseOnConnect: true });
    server.once('error', (cause) =>
      reject(new BedError(`cannot listen on 127.0.0.1:${port}`, [cause.message], { cause })),
    );
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

async function handOver(child: ChildProcess, server: Server): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once('message', () => resolve());
    child.once('exit', () => reject(new BedError('the relay exited during its start')));
    child.send('listen', server, {}, (error) => {
      if (error) reject(error);
    });
  });
  child.disconnect();
  child.unref();
}
