import { createServer } from 'node:net';

/** The system may offer a port again as soon as nobody listens on it: who was given one needs a moment to do so. */
const remembered = 500;
const given: number[] = [];

/** A port of 127.0.0.1 that nobody has now. Who needs an address before it listens takes one; somebody may be faster. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = await offeredPort();
    if (given.includes(port)) continue;
    given.push(port);
    given.splice(0, given.length - remembered);
    return port;
  }
}

function offeredPort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
