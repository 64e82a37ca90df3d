import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** An order of the parent to a process of clients. */
export type ClientOrder =
  | { do: 'open'; port: number; authority: string; path: string; tokens: string[]; streams: number }
  /** Reports when every stream has received the version. */
  | { do: 'expect'; version: string };

/** `received` has one absolute time in milliseconds per stream. */
export type ClientReport = { opened: number } | { received: number[] } | { broken: string };

const handshakesAtOnce = 20;
const sockets: TLSSocket[] = [];
let onText: (stream: number, text: string) => void = () => {};

process.on('message', (order: ClientOrder) => {
  const work = order.do === 'open' ? open(order) : expectVersion(order.version);
  work.then(report, (error: unknown) => report({ broken: String(error) }));
});

async function open(order: Extract<ClientOrder, { do: 'open' }>): Promise<ClientReport> {
  let next = 0;
  const openOthers = async () => {
    while (next < order.streams) await openOne(order, next++);
  };
  await Promise.all(Array.from({ length: handshakesAtOnce }, openOthers));
  return { opened: sockets.length };
}

/**
 * Resolves when the current version is received. It is a socket with minimal HTTP, because the clients share the machine
 * with the gateway.
 */
async function openOne(
  { port, authority, path, tokens }: Extract<ClientOrder, { do: 'open' }>,
  stream: number,
): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, ca: authority });
  await once(socket, 'secureConnect');
  socket.setEncoding('latin1');
  const token = tokens[stream % tokens.length];
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    let begun = '';
    socket.on('data', (text: string) => {
      if (begun.includes('"ADDED"')) return onText(stream, text);
      begun += text;
      if (!begun.startsWith('HTTP/1.1 200'.slice(0, begun.length))) reject(new Error(begun.slice(0, 500)));
      if (begun.includes('"ADDED"')) resolve();
    });
    socket.once('close', () => {
      reject(new Error('stream closed before the first event'));
      report({ broken: `stream ${stream} was closed` });
    });
  });
  sockets.push(socket);
}

function expectVersion(version: string): Promise<ClientReport> {
  const { promise, resolve } = Promise.withResolvers<ClientReport>();
  const received = new Map<number, number>();
  onText = (stream, text) => {
    if (!text.includes(`"version":"${version}"`) || received.has(stream)) return;
    received.set(stream, performance.timeOrigin + performance.now());
    if (received.size === sockets.length) resolve({ received: [...received.values()] });
  };
  return promise;
}

function report(message: ClientReport): void {
  process.send?.(message);
}
