import type http from 'node:http';
import type { Socket } from 'node:net';
import { afterEach } from 'vitest';
import type { ClusterAccess } from '../src/access.ts';
import type { Clock } from '../src/clock.ts';
import { silentLogger } from '../src/log/silent-logger.ts';
import { httpClient } from '../src/transport/http-client.ts';
import { ImpatientClock } from './transport-clock.ts';
import { accessTo, answerJson, type LocalServer, serveHttp, serveSocket } from './transport-server.ts';

/** Status code, body and headers. */
type CannedAnswer = [number, unknown, Record<string, string>?];

/** Creates servers and clients for a test file, and closes them after each test. */
export function transportScene() {
  const open: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const thing of open.splice(0).reverse()) await thing.close();
  });

  async function kept(server: Promise<LocalServer>): Promise<LocalServer> {
    const started = await server;
    open.push(started);
    return started;
  }

  function connect(access: ClusterAccess, clock: Clock = new ImpatientClock()) {
    const client = httpClient({ access, log: silentLogger, clock });
    open.push(client);
    return client;
  }

  return {
    connect,
    clientOf: (server: { url: string }, clock?: Clock) => connect(accessTo(server.url), clock),
    http: (handler: http.RequestListener) => kept(serveHttp(handler)),
    https: (handler: http.RequestListener, tls: Parameters<typeof serveHttp>[1]) =>
      kept(serveHttp(handler, tls)),
    socket: (onRequest: (socket: Socket, count: number) => void) => kept(serveSocket(onRequest)),

    /** Responds to each request with the next of `answers`, and repeats the last one. */
    async answering(...answers: CannedAnswer[]): Promise<{ url: string; asked: string[] }> {
      const asked: string[] = [];
      const { url } = await kept(
        serveHttp((request, response) => {
          const [code, body, headers] = answers[Math.min(asked.length, answers.length - 1)] ?? [500, {}];
          asked.push(`${request.method} ${request.url}`);
          request.resume().on('end', () => answerJson(response, code, body, headers));
        }),
      );
      return { url, asked };
    },

    /** Accepts requests and never responds; `asked` resolves with the first bytes of a request. */
    async silent(): Promise<{ url: string; asked: Promise<void> }> {
      const asked = Promise.withResolvers<void>();
      const { url } = await kept(serveSocket(() => asked.resolve()));
      return { url, asked: asked.promise };
    },
  };
}
