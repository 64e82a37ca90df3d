import { createServer } from 'node:net';

/** A port of 127.0.0.1 that nobody has now. Who needs an address before it listens takes one; somebody may be faster. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
