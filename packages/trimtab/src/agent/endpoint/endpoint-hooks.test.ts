import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type CallOptions,
  closeEndpoints,
  openEndpoint,
} from '../../../test/agent/support/endpoint-under-test.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await closeEndpoints();
});

const post = (body: unknown): CallOptions => ({ method: 'POST', body: JSON.stringify(body) });
const url = 'http://localhost:8080/reload';

describe('a container subscribes a hook', () => {
  test('and is the one that is told', async () => {
    const { call, subscriptions } = await openEndpoint({ containers: ['app', 'proxy'] });
    const { status, headers, text: body } = await call('/config/hooks', post({ url, container: 'proxy' }));
    const created = JSON.parse(body);
    expect([status, created]).toEqual([201, { id: expect.any(String), url, container: 'proxy' }]);
    expect(headers.location).toBe(`/config/hooks/${created.id}`);
    expect(subscriptions()).toEqual([created]);
  });

  test('twice, and the hook stays the same', async () => {
    const { call } = await openEndpoint();
    const first = await call('/config/hooks', post({ url }));
    const second = await call('/config/hooks', post({ url }));
    expect([first.status, second.status]).toEqual([201, 200]);
    expect(second.text).toBe(first.text);
  });

  test('and removes it', async () => {
    const { call } = await openEndpoint();
    const { id } = JSON.parse((await call('/config/hooks', post({ url }))).text);
    expect(JSON.parse((await call('/config/hooks')).text)).toEqual({
      items: [{ id, url, container: 'app' }],
    });
    expect((await call(`/config/hooks/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await call(`/config/hooks/${id}`, { method: 'DELETE' })).status).toBe(404);
    expect((await call('/config/hooks')).text).toBe('{"items":[]}\n');
  });

  test('that the agent finds again after its restart', async () => {
    const { call, close, ...first } = await openEndpoint();
    await call('/config/hooks', post({ url }));
    const { privateFolder, publicFolder } = first;
    const again = await openEndpoint({ privateFolder, publicFolder });
    expect(again.subscriptions()).toEqual(first.subscriptions());
  });

  test('but not one of another host', async () => {
    const { call } = await openEndpoint();
    const { status, text: body } = await call('/config/hooks', post({ url: 'http://169.254.169.254/' }));
    expect([status, JSON.parse(body).message]).toEqual([
      400,
      expect.stringContaining('must lead to this pod'),
    ]);
  });

  test('but not with a large body', async () => {
    const { call, subscriptions } = await openEndpoint();
    const answer = await call('/config/hooks', post({ url, ca: 'x'.repeat(16_384) }));
    expect([answer.status, answer.headers.connection]).toEqual([413, 'close']);
    expect(answer.text).toContain('larger than 16 KiB');
    expect(subscriptions()).toEqual([]);
  });

  test('but not without the token', async () => {
    const { call } = await openEndpoint();
    const answer = await call('/config/hooks', { ...post({ url }), headers: { authorization: '' } });
    expect(answer.status).toBe(401);
  });
});

test('the hook is called with the changed configs and the token of the pod', async () => {
  const received: unknown[] = [];
  const application = createServer(async (request, response) => {
    received.push([request.headers.authorization, JSON.parse(await text(request))]);
    response.end();
  });
  servers.push(application);
  await once(application.listen(0, '127.0.0.1'), 'listening');
  const { port } = application.address() as AddressInfo;

  const { call, subscriptions, hookAction, token } = await openEndpoint();
  await call('/config/hooks', post({ url: `http://localhost:${port}/reload` }));
  const [hook] = subscriptions();
  if (hook === undefined) throw new Error('there is no hook');
  const changed = { kind: 'ConfigMap', name: 'foo', version: '1.0.1', previous: '1.0.0' } as const;
  const action = hookAction(hook, () => [changed]);
  expect(await action.run({ signal: new AbortController().signal, writtenAtTicks: 0 })).toEqual({ ok: true });
  expect(received).toEqual([[`Bearer ${token}`, { configs: [changed] }]]);
});
