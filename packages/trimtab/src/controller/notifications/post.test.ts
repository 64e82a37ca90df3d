import { createServer as createHttp, type RequestListener, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serverCertificate } from '@trimtab/test-bed/fault-proxy/server-certificate.ts';
import { afterEach, expect, test } from 'vitest';
import { post } from './post.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const { signal } = new AbortController();
const send = (url: string, fields: Partial<Parameters<typeof post>[0]> = {}) =>
  post({ url: new URL(url), ca: undefined, headers: {}, body: '{}', timeoutMs: 5_000, signal, ...fields });

test('a redirect is a response like others and is not followed', async () => {
  const paths: (string | undefined)[] = [];
  const redirect: RequestListener = ({ url }, response) => {
    paths.push(url);
    response.writeHead(307, { location: '/other', 'retry-after': '3' }).end();
  };
  const port = await listen(createHttp(redirect));
  expect(await send(`http://127.0.0.1:${port}/hook`)).toEqual({ status: 307, retryAfter: '3' });
  expect(paths).toEqual(['/hook']);
});

test('the certificate of a receiver is verified, against the given authority if there is one', async () => {
  const { cert, key, authority } = serverCertificate();
  const port = await listen(createHttps({ cert, key }, (_, response) => response.end()) as unknown as Server);
  const url = `https://127.0.0.1:${port}/`;
  expect(await send(url, { ca: authority })).toMatchObject({ status: 200 });
  await expect(send(url)).rejects.toMatchObject({ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
});

test('a receiver that does not answer in time is a timeout', async () => {
  const port = await listen(createHttp(() => {}));
  const failed = await send(`http://127.0.0.1:${port}/`, { timeoutMs: 50 }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'ABORT_ERR', cause: { name: 'TimeoutError' } });
});

test('a response whose body does not end is cut off', async () => {
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  const port = await listen(
    createHttp((_, response) => {
      response.on('close', resolve).writeHead(200).write('x');
    }),
  );
  expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  await cut;
});
