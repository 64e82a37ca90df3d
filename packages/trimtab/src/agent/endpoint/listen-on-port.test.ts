import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listenOnPort } from './listen-on-port.ts';

test('without a host, all addresses of the pod are served', async () => {
  const server = createServer((socket) => void socket.end());
  const port = await listenOnPort(server, 0);
  await once(connect(port, '127.0.0.1').resume(), 'close');
  server.close();
});

test('an address that the pod does not have is refused', async () => {
  await expect(listenOnPort(createServer(), 0, '192.0.2.1')).rejects.toThrow(
    /^the in-pod endpoint cannot listen on port 0: .*EADDRNOTAVAIL/,
  );
});
