import { describe, expect, test } from 'vitest';
import { ImpatientClock } from '../../test/transport-clock.ts';
import { transportScene } from '../../test/transport-scene.ts';
import { answerJson, serveHttp, status } from '../../test/transport-server.ts';
import { configMaps } from '../resource.ts';

const foo = { namespace: 'shop', name: 'foo' };
const theConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: foo };
const scene = transportScene();

describe('a read', () => {
  test('goes on after failures that pass', async () => {
    const clock = new ImpatientClock();
    const busy = status(429, 'TooManyRequests');
    const server = await scene.answering(
      [429, busy, { 'retry-after': '2' }],
      [503, status(503, 'x')],
      [200, theConfigMap],
    );
    expect(await scene.clientOf(server, clock).get(configMaps, foo)).toEqual(theConfigMap);
    expect(server.asked).toHaveLength(3);
    expect(clock.waits[0]).toBeGreaterThanOrEqual(2_000);
  });

  test('tells the last failure when they do not pass', async () => {
    const server = await scene.answering([503, status(503, 'ServiceUnavailable', 'etcd is away')]);
    await expect(scene.clientOf(server).get(configMaps, foo)).rejects.toMatchObject({
      name: 'ApiError',
      status: 503,
      message: expect.stringContaining('etcd is away'),
    });
    expect(server.asked).toHaveLength(5);
  });

  test('is asked again when the connection breaks, at the start or in the body', async () => {
    const whole = JSON.stringify(theConfigMap);
    const server = await scene.socket((socket, count) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
      if (count === 1) socket.resetAndDestroy();
      else if (count === 2) socket.end(`${head}content-length: 1000\r\n\r\n{"kind":`);
      else if (count === 3) socket.end(`${head}transfer-encoding: chunked\r\n\r\n20\r\n{"kind":`);
      else socket.end(`${head}content-length: ${whole.length}\r\n\r\n${whole}`);
    });
    expect(await scene.clientOf(server).get(configMaps, foo)).toEqual(theConfigMap);
    expect(server.opened()).toBe(4);
  });

  test('says that the body was cut when it always is', async () => {
    const server = await scene.socket((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"kind":'),
    );
    await expect(scene.clientOf(server).get(configMaps, foo)).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ECONNRESET',
      sent: 'maybe',
    });
  });

  test('of something that is no API server says so', async () => {
    const server = await scene.http((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Hi</html>'),
    );
    await expect(scene.clientOf(server).get(configMaps, foo)).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ERR_BODY_NOT_JSON',
      message: expect.stringMatching(
        /\(text\/html\) is not JSON. Check that the server is a Kubernetes API server/,
      ),
    });
  });

  test('of something that does not speak HTTP names what it met, and shows nothing of it', async () => {
    const server = await scene.socket((socket) => socket.end('SSH-2.0-secret\r\n'));
    const error: unknown = await scene
      .clientOf(server)
      .get(configMaps, foo)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'NetworkError', code: expect.stringMatching(/^HPE_/) });
    expect(JSON.stringify(error) + String(error)).not.toContain('secret');
  });
});

describe('a write', () => {
  test('is repeated when the server turned it away and named a time', async () => {
    const busy = status(429, 'TooManyRequests');
    const server = await scene.answering([429, busy, { 'retry-after': '1' }], [201, theConfigMap]);
    await scene.clientOf(server).create(configMaps, theConfigMap);
    expect(server.asked).toHaveLength(2);
  });

  test.each([
    ['the connection breaks after it was sent', 'reset'],
    ['the server fails', 'fails'],
  ])('is sent once when %s', async (_case, how) => {
    let seen = 0;
    const server = await scene.http((request, response) => {
      seen++;
      request.resume().on('end', () => {
        if (how === 'reset') request.socket.resetAndDestroy();
        else answerJson(response, 503, status(503, 'ServiceUnavailable'));
      });
    });
    const expected =
      how === 'reset' ? { name: 'NetworkError', sent: 'maybe' } : { name: 'ApiError', status: 503 };
    await expect(scene.clientOf(server).create(configMaps, theConfigMap)).rejects.toMatchObject(expected);
    expect(seen).toBe(1);
  });

  test('whose connection was refused certainly was not sent', async () => {
    const server = await serveHttp(() => {});
    await server.close();
    const clock = new ImpatientClock();
    await expect(scene.clientOf(server, clock).create(configMaps, theConfigMap)).rejects.toMatchObject({
      name: 'NetworkError',
      code: 'ECONNREFUSED',
      sent: 'no',
      message: expect.stringContaining(`POST ${server.url}/api/v1/namespaces/shop/configmaps: `),
    });
    expect(clock.waits).toHaveLength(4);
  });
});
