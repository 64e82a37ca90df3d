import { expect, test } from 'vitest';
import { transportScene } from '../../test/transport-scene.ts';
import { accessTo } from '../../test/transport-server.ts';
import { systemClock } from '../clock.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Exchange } from './exchange.ts';

const scene = transportScene();

test('an answer that never ends is given up at its limit', async () => {
  const server = await scene.http((_request, response) => {
    const more = () => response.write(Buffer.alloc(10_000)) || response.once('drain', more);
    const timer = setInterval(more);
    response.on('close', () => clearInterval(timer));
  });
  const pool = new ConnectionPool(accessTo(server.url), systemClock);
  const exchange = new Exchange(pool, { method: 'GET', path: '/', headers: {} });
  await expect(exchange.readBody(await exchange.response, 100_000)).rejects.toMatchObject({
    name: 'NetworkError',
    code: 'ERR_BODY_TOO_LARGE',
    message: `GET ${server.url}/: the response is larger than 100000 bytes (ERR_BODY_TOO_LARGE)`,
  });
  await expect.poll(() => server.open()).toBe(0);
  pool.close();
});
