import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { systemClock } from '@trimtab/kube/clock.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { expect, test } from 'vitest';
import { handleRequest, type RequestContext } from './handle-request.ts';
import { Published } from './published.ts';
import { RequestLimits } from './request-limits.ts';
import type { Subscriptions } from './subscriptions.ts';

/** Answers one request over plain HTTP, which comes from `address`. */
async function answerTo(
  address: string,
  authorize: () => void,
): Promise<{ status: number | undefined; body: string }> {
  const context: RequestContext = {
    published: new Published(systemClock),
    subscriptions: { list: () => [] } as unknown as Subscriptions,
    target: { podIps: ['10.1.2.3'], containers: [] },
    limits: new RequestLimits(),
    ...{ clock: systemClock, log: silentLogger, metrics: { answered() {} }, authorize },
  };
  const server = createServer((request, response) => {
    Object.defineProperty(request.socket, 'remoteAddress', { value: address });
    void handleRequest(request, response, context);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(get(`http://127.0.0.1:${port}/config/hooks`, { agent: false }), 'response');
    return { status: response.statusCode, body: await text(response) };
  } finally {
    server.close();
  }
}

test('a container of the pod is answered', async () => {
  expect(await answerTo('::ffff:10.1.2.3', () => {})).toEqual({ status: 200, body: '{"items":[]}\n' });
});

test('another pod is refused, whatever its token is', async () => {
  const authorize = () => {
    throw new Error('the token must not be compared');
  };
  expect(await answerTo('10.1.2.4', authorize)).toEqual({
    status: 403,
    body: '{"message":"This endpoint serves the containers of its pod only; connect from this pod"}\n',
  });
});

test('a defect of the endpoint is answered with 500, without details', async () => {
  const authorize = () => {
    throw new Error('a detail');
  };
  expect(await answerTo('127.0.0.1', authorize)).toEqual({
    status: 500,
    body: '{"message":"Internal error of the agent"}\n',
  });
});
