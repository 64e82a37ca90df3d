import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems give away by themselves (Linux 32768 to 60999, others from 49152), to a server on port 0 or to the near
 * end of a connection: such a port could be gone before its owner listens. Pods of a local cluster have those from 20000 on.
 */
const first = 10_000;
const last = 19_999;
const given = new Set<number>();

/** A port of 127.0.0.1 that nobody has now, for who needs an address before it listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, last + 1);
    if (given.has(port) || !(await isFree(port))) continue;
    // Another caller of this process gets another one: who was given it needs a moment to listen.
    given.add(port);
    setTimeout(() => given.delete(port), 60_000).unref();
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
