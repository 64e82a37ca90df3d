import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { openApiRoute } from './openapi-route.ts';

test('the document is built once, and not for each request', async () => {
  let built = 0;
  const described = {
    method: 'GET' as const,
    path: '/a',
    handle: async () => 'answered' as const,
    get document() {
      built += 1;
      return { operationId: 'readA', summary: 'Reads a.', answers: {} };
    },
  };
  const { handle } = openApiRoute([described]);
  for (const accept of ['application/json', 'application/yaml', 'application/json']) {
    const incoming = new IncomingMessage(new Socket());
    incoming.headers = { accept };
    const response = new ServerResponse(incoming);
    await handle({ response } as unknown as GatewayRequest);
    expect(response.writableEnded).toBe(true);
  }
  expect(built).toBe(1);
});
