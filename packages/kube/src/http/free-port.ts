import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (Linux 32768 to 60999, other systems from 49152), which systems assign to servers on port
 * 0 and to outgoing connections: such a port could be taken before its owner listens. Pods of a local cluster use
 * 20000 to 29999.
 */
const first = 10_000;
const last = 19_999;
const attempts = 1_000;
const reserved = new Set<number>();

/** Returns a free port of 127.0.0.1, for a server whose address must be known before it listens. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const port = randomInt(first, last + 1);
    if (reserved.has(port)) continue;
    // Reserved before the check, so that concurrent callers in this process never get the same port.
    reserved.add(port);
    setTimeout(() => reserved.delete(port), 60_000).unref();
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port on 127.0.0.1 after trying ${attempts} ports from ${first} to ${last}`);
}

/** Rejects on any failure other than a port that is in use. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
