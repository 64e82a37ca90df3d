import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards requests to a gateway, and tells when an acknowledgement for a version arrives. */
export async function acknowledgementProxy(gateway: () => string) {
  let onAcknowledged = (_version: string, _at: number) => {};
  const server = createServer((incoming, response) => {
    const { method = 'GET', url = '/', headers } = incoming;
    const outgoing = request(new URL(url, gateway()), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    if (!url.endsWith('/ack')) {
      incoming.pipe(outgoing);
      return;
    }
    let body = '';
    incoming.setEncoding('utf8').on('data', (part) => {
      body += part;
    });
    incoming.on('end', () => {
      onAcknowledged(JSON.parse(body).version, performance.now());
      outgoing.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves with the time at which the acknowledgement of another version than this one arrives. */
    acknowledgedAfter: (version: string) =>
      new Promise<{ version: string; at: number }>((resolve) => {
        onAcknowledged = (acknowledged, at) => {
          if (acknowledged !== version) resolve({ version: acknowledged, at });
        };
      }),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
