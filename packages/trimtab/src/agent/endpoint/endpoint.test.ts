import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { afterEach, describe, expect, test } from 'vitest';
import { closeEndpoints, openEndpoint } from '../../../test/agent/support/endpoint-under-test.ts';
import type { EndpointConfig } from './dictionary.ts';

afterEach(closeEndpoints);

function foo(version: string, level: string): EndpointConfig {
  return { kind: 'ConfigMap', name: 'foo', version, entries: new Map([['log.level', Buffer.from(level)]]) };
}

async function withFoo(options: Parameters<typeof openEndpoint>[0] = {}) {
  const endpoint = await openEndpoint(options);
  endpoint.publish([foo('1.0.3', 'debug')]);
  return endpoint;
}

describe('an application reads the endpoint', () => {
  test('with its token, as JSON', async () => {
    const { call, token } = await withFoo();
    for (const authorization of [token, `Bearer ${token}`, `bearer  ${token}`]) {
      const { status, headers, text } = await call('/config', { headers: { authorization } });
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'cache-control': 'no-store' });
      expect(JSON.parse(text)).toEqual({ 'configmap/foo': '1.0.3', 'log.level': 'debug' });
    }
  });

  test('as text, when it asks for it', async () => {
    const { call } = await withFoo();
    const { headers, text } = await call('/config/', { headers: { accept: 'text/plain' } });
    expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', vary: 'accept' });
    expect(text).toBe('configmap/foo=1.0.3\nlog.level=debug\n');
  });

  test('without the body', async () => {
    const { call } = await withFoo();
    const [head, get] = [await call('/config', { method: 'HEAD' }), await call('/config')];
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.etag).toBe(get.headers.etag);
    expect(head.headers['content-length']).toBe(String(get.text.length));
  });

  test('again, only if it has changed', async () => {
    const { call, publish } = await withFoo();
    const etag = String((await call('/config')).headers.etag);
    const headers = { 'if-none-match': etag };
    expect(await call('/config', { headers })).toMatchObject({ status: 304, text: '', headers: { etag } });
    publish([foo('1.0.4', 'info')]);
    expect(await call('/config', { headers })).toMatchObject({ status: 200 });
    // The forms have different ETags.
    expect((await call('/config', { headers: { ...headers, accept: 'text/plain' } })).status).toBe(200);
  });

  test('with the same ETag after a restart of the agent', async () => {
    const first = await withFoo();
    const { privateFolder, publicFolder } = first;
    const second = await withFoo({ privateFolder, publicFolder });
    const etag = String((await first.call('/config')).headers.etag);
    expect((await second.call('/config', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('also when it is large', async () => {
    const { call, publish } = await openEndpoint();
    publish([foo('1.0.3', 'x'.repeat(3_000_000))]);
    const { text } = await call('/config');
    expect(JSON.parse(text)['log.level']).toHaveLength(3_000_000);
  });

  test('and waits until the agent has the configs', async () => {
    const { call } = await openEndpoint();
    const { status, headers, text } = await call('/config');
    expect([status, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(text)).toEqual({ message: 'The agent has not received the configs yet' });
  });
});

describe('a request is refused', () => {
  const where = 'The token is in the file that the environment variable MY_CONFIG_TOKEN_FILE names.';

  test.each([
    [
      'without a token',
      '',
      `The request has no token: send the header "Authorization: Bearer <token>". ${where}`,
    ],
    [
      'with a wrong token',
      'Bearer x',
      `The token in the header "Authorization" is not the token of this pod. ${where}`,
    ],
  ])('%s', async (_, authorization, message) => {
    const { call } = await withFoo();
    const { status, headers, text } = await call('/config', { headers: { authorization } });
    expect([status, headers['www-authenticate'], headers['connection']]).toEqual([401, 'Bearer', 'close']);
    expect(JSON.parse(text)).toEqual({ message });
  });

  test('with a token that begins like the right one, or contains it', async () => {
    const { call, token } = await withFoo();
    for (const authorization of [token.slice(0, -1), `${token}x`, `Basic ${token}`, `Bearer ${token} x`])
      expect((await call('/config', { headers: { authorization } })).status).toBe(401);
  });

  test.each([
    ['POST', '/config', 405, 'GET, HEAD'],
    ['OPTIONS', '/config', 405, 'GET, HEAD'],
    ['PUT', '/config/hooks', 405, 'GET, POST'],
    ['GET', '/config/hooks/0123', 405, 'DELETE'],
    ['GET', '/', 404, undefined],
    ['GET', '/configs', 404, undefined],
    ['GET', '/config/hooksx', 404, undefined],
    ['GET', '/config/hooks/1/2', 404, undefined],
    ['GET', '//config', 404, undefined],
    ['GET', '/config?wait=soon', 400, undefined],
  ])('%s %s with %i', async (method, path, status, allow) => {
    const { call } = await withFoo();
    const answer = await call(path, { method });
    expect([answer.status, answer.headers.allow]).toEqual([status, allow]);
    expect(JSON.parse(answer.text)).toEqual({ message: expect.any(String) });
  });

  test('when too many had a wrong token, even with the right one', async () => {
    const clock = new ManualClock(Date.now());
    const { call } = await withFoo({ clock });
    const wrong = { headers: { authorization: 'wrong' } };
    const statuses = await Promise.all(
      Array.from({ length: 21 }, async () => (await call('/config', wrong)).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    const { status, headers } = await call('/config');
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    await clock.advance(100);
    expect((await call('/config')).status).toBe(200);
  });

  test('over TLS 1.2', async () => {
    const { call } = await withFoo();
    await expect(call('/config', { maxVersion: 'TLSv1.2' })).rejects.toThrow(/version/i);
  });

  test('and counted', async () => {
    const metrics = createRegistry();
    const { call } = await withFoo({ metrics });
    await call('/config');
    await call('/config', { headers: { authorization: '' } });
    expect(metrics.render()).toContain('trimtab_agent_endpoint_requests_total{code="200"} 1');
    expect(metrics.render()).toContain('trimtab_agent_endpoint_requests_total{code="401"} 1');
  });
});

test('a port that is in use is named, with what to do', async () => {
  const { port } = await withFoo();
  await expect(openEndpoint({ port })).rejects.toThrow(
    `the in-pod endpoint cannot listen on port ${port}: another container of the pod uses it. ` +
      'Set another port with the annotation trimtab.dev/config-port.',
  );
});
