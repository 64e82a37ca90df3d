import { connect, createServer } from 'node:net';

const host = '127.0.0.1';
/** On this machine; who does not answer within it is not there. */
const patienceMs = 1_000;

/** Whether somebody listens on this port of 127.0.0.1, also one who listens on all addresses. */
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
 * Whether a program could listen on it. Somebody on all addresses is asked for as well: macOS would let us listen
 * beside it, and connections would go to either.
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
