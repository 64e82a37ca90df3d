import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * Runs inside the bed's network and listens in three places: on the port of the API server on the host's 127.0.0.1,
 * whose socket arrives as a message; on the same port of 127.0.0.1 inside, so one kubeconfig works on both sides; and
 * on a Unix socket that accepts HTTP CONNECT to any address inside.
 */
const [socketPath = '', port = '', api = ''] = process.argv.slice(2);

function join(left: Socket, right: Socket): void {
  left.pipe(right).pipe(left);
  for (const [one, other] of [[left, right] as const, [right, left] as const]) {
    one.setNoDelay(true);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
}

function dial(address: string): Socket {
  const colon = address.lastIndexOf(':');
  return connect({
    host: address.slice(0, colon),
    port: Number(address.slice(colon + 1)),
    allowHalfOpen: true,
  });
}

function toApiServer(socket: Socket): void {
  join(socket, dial(api));
}

process.once('message', (_message: unknown, server: unknown) => {
  (server as Server).on('connection', toApiServer);
  process.send?.('listening');
});

createServer({ allowHalfOpen: true }, toApiServer).listen(Number(port), '127.0.0.1');

createHttpServer()
  .on('connect', (incoming, stream) => {
    const near = stream as Socket;
    const far = dial(incoming.url ?? '');
    near.on('error', () => far.destroy());
    far.once('error', () => near.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
    far.once('connect', () => {
      near.write('HTTP/1.1 200 OK\r\n\r\n');
      join(near, far);
    });
  })
  .listen(socketPath);
