import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Forwarder } from './forward.ts';

/** Relays exec, attach and port-forward: after the upgrade, bytes pass unchanged in both directions. */
export async function relayUpgrade(
  forwarder: Forwarder,
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
): Promise<void> {
  const outgoing = await forwarder.open(incoming);
  client.once('error', () => outgoing.destroy());
  client.once('close', () => outgoing.destroy());
  outgoing.once('error', () => client.destroy());
  outgoing.once('upgrade', (answer, server, serverHead) => {
    client.write(headText(answer));
    client.write(serverHead);
    server.write(head);
    server.once('error', () => client.destroy());
    client.once('close', () => server.destroy());
    server.once('close', () => client.destroy());
    server.pipe(client);
    client.pipe(server);
  });
  outgoing.once('response', (answer) => {
    client.write(headText(answer));
    answer.pipe(client);
  });
  outgoing.end();
}

function headText(answer: IncomingMessage): string {
  const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
  for (let i = 0; i + 1 < answer.rawHeaders.length; i += 2)
    // The body follows without chunked encoding, and ends with the connection.
    if (answer.rawHeaders[i]?.toLowerCase() !== 'transfer-encoding')
      lines.push(`${answer.rawHeaders[i]}: ${answer.rawHeaders[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
