import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { silentLogger } from '../log/silent-logger.ts';
import { createRegistry } from '../metrics/metrics.ts';
import { HealthChecks } from './health-checks.ts';
import { startHealthServer } from './health-server.ts';
import type { HttpServer } from './http-server.ts';

describe('a kubelet and a Prometheus ask a program how it is', () => {
  let server: HttpServer;
  let checks: HealthChecks;
  const registry = createRegistry();

  beforeEach(async () => {
    checks = new HealthChecks();
    server = await startHealthServer({ host: '127.0.0.1', port: 0, checks, registry, log: silentLogger });
  });
  afterEach(() => server.close(0));

  const ask = (path: string, method = 'GET') =>
    new Promise<{ status: number | undefined; text: string; type: string | undefined }>((resolve, reject) => {
      get(`${server.url}${path}`, { method, agent: false }, (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, text, type: response.headers['content-type'] }),
        );
      }).on('error', reject);
    });

  test('one address has 64 connections, and another one is closed at once', async () => {
    const open = () => {
      const socket = connect({ host: '127.0.0.1', port: server.port }).on('error', () => {});
      return { socket, closed: once(socket, 'close') };
    };
    const all = Array.from({ length: 65 }, open);
    await Promise.race(all.map(({ closed }) => closed));
    const first = all[0]?.socket.destroy();
    if (first !== undefined && !first.closed) await once(first, 'close');
    await vi.waitFor(async () => expect(await ask('/livez')).toMatchObject({ status: 200 }));
    expect(all.filter(({ socket }) => !socket.destroyed)).toHaveLength(63);
    for (const { socket } of all) socket.destroy();
  });

  test('all is well', async () => {
    checks.addReadiness('watch', () => undefined);
    for (const path of ['/livez', '/healthz', '/readyz']) {
      expect(await ask(path)).toMatchObject({ status: 200, text: 'ok' });
    }
    expect((await ask('/readyz?verbose')).text).toBe('[+]ping ok\n[+]watch ok\nreadyz check passed\n');
    expect(await ask('/livez', 'HEAD')).toMatchObject({ status: 200, text: '' });
  });

  test('a watch is dead: not ready, with the reason, and still alive', async () => {
    checks.addReadiness('watch', () => 'no event for 90 s');
    checks.addReadiness('cache', () => {
      throw new TypeError('with a secret');
    });
    expect(await ask('/readyz')).toMatchObject({
      status: 503,
      text:
        '[+]ping ok\n[-]watch failed: no event for 90 s\n' +
        '[-]cache failed: the check threw TypeError\nreadyz check failed\n',
    });
    expect(await ask('/livez')).toMatchObject({ status: 200 });
  });

  test('what is not alive is not ready', async () => {
    checks.addLiveness('loop', () => 'stuck');
    expect(await ask('/livez')).toMatchObject({ status: 503 });
    expect(await ask('/readyz')).toMatchObject({ status: 503 });
  });

  test('metrics', async () => {
    registry.counter({ name: 'asked_total', help: 'Asked.' }).inc();
    const { text, type } = await ask('/metrics');
    expect(text).toContain('\nasked_total 1\n');
    expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  test('anything else', async () => {
    expect(await ask('/')).toMatchObject({ status: 404 });
    expect(await ask('/livez', 'POST')).toMatchObject({ status: 405 });
  });
});
