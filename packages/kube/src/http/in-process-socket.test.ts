import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { startHttpServer } from './http-server.ts';
import { inProcessSockets } from './in-process-socket.ts';

test('HTTP goes both ways without the network, and large bodies wait for their reader', async () => {
  const server = await startHttpServer({
    name: 'echo',
    host: '127.0.0.1',
    port: 0,
    handler: async (incoming, response) => {
      response.end(await text(incoming));
    },
    log: silentLogger,
  });
  const sent = 'x'.repeat(3_000_000);
  const echoed = await new Promise<string>((resolve, reject) => {
    const outgoing = request({ method: 'POST', createConnection: () => server.connect() }, (answer) => {
      text(answer).then(resolve, reject);
    });
    outgoing.on('error', reject);
    outgoing.end(sent);
  });
  expect(echoed).toBe(sent);
  await server.close(0);
});

test('when one end is destroyed the other one is reset', async () => {
  const [near, far] = inProcessSockets();
  const failed = new Promise((resolve) => near.once('error', resolve));
  far.on('error', () => {});
  far.destroy();
  expect(await failed).toMatchObject({ code: 'ECONNRESET' });
  expect(near.destroyed).toBe(true);
});
