import { connect, createServer } from 'node:net';

const host = '127.0.0.1';
/** Connection timeout; ample because the address is on this machine. */
const patienceMs = 1_000;

/** Whether a process listens on this port of 127.0.0.1 or of all addresses. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs });
    const end = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.on('connect', () => end(true));
    socket.on('timeout', () => end(false));
    socket.on('error', () => end(false));
  });
}

/**
 * Whether a program could listen on the port. A connection attempt also detects a listener on all addresses: macOS
 * allows a second listener beside it, and connections would reach either of the two.
 */
export async function isFree(port: number): Promise<boolean> {
  return (await canListen(host, port)) && !(await answers(port));
}

export function canListen(address: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: address, port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
