import { createServer } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { systemClock } from '@trimtab/kube/clock.ts';
import { afterAll, describe, expect, test } from 'vitest';
import type { Container, Probe } from '../../objects/pod.ts';
import type { RunningContainer } from '../pod/probe-results.ts';
import { LiveOutput } from '../runtime/live-output.ts';
import { checkRequest } from './grpc-probe.ts';
import { runProbe } from './run-probe.ts';

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

async function listening<T extends Server>(server: T): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const web = await listening(
  createServer(({ url, headers }, response) => {
    if (url === '/moved') response.writeHead(302, { location: '/fine' }).end();
    else if (url === '/away') response.writeHead(302, { location: 'http://other.example/' }).end();
    else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (url === '/mine' && headers['x-mine'] !== 'yes') response.writeHead(403).end();
    else if (url === '/endless') response.writeHead(200).write('.');
    else if (url === '/never') return;
    else response.writeHead(url === '/broken' ? 503 : 200).end();
  }),
);
const free = await listening(createTcpServer());
servers.pop()?.close();

const container: Container = { name: 'app', ports: [{ name: 'http', containerPort: web }] };
const running: RunningContainer = {
  pod: { metadata: { name: 'p' }, spec: { containers: [container] } },
  container,
  id: 'c1',
  pid: process.pid,
  podIP: '127.0.0.1',
  ports: new Map(),
  warn: () => {},
  attachment: { output: new LiveOutput(systemClock), ended: Promise.resolve() },
  join: (command) => [...command],
  prepared: {
    env: { PATH: process.env['PATH'] ?? '', MINE: 'yes' },
    cwd: tmpdir(),
    expand: (words) => [...words],
    wrap: (command) => [...command],
    hostPath: (path) => path,
  },
};
const ask = (probe: Probe) => runProbe({ timeoutSeconds: 1, ...probe }, running);
/** Runs the probe against a pod that shares its address with others. */
const elsewhere = (probe: Probe, ports: [number, number][]) =>
  runProbe(
    { timeoutSeconds: 1, ...probe },
    {
      ...running,
      container: { name: 'app', ports: [{ name: 'http', containerPort: 8080 }] },
      ports: new Map(ports),
    },
  );
const fails = (message: string | RegExp) => ({ is: 'failure', message: expect.stringMatching(message) });

describe('over HTTP', () => {
  test.each([
    ['an answer is well', '/fine', { is: 'success' }],
    ['a redirect is followed', '/moved', { is: 'success' }],
    ['a redirect to another host is well, and not followed', '/away', { is: 'success' }],
    ['a body without an end does not matter', '/endless', { is: 'success' }],
    ['an error is a failure', '/broken', fails(/^HTTP probe failed with statuscode: 503$/)],
    ['redirects without an end are a failure', '/loop', fails(/stopped after 10 redirects/)],
    ['silence is a failure', '/never', fails(/context deadline exceeded/)],
  ])('%s', async (_, path, result) => {
    expect(await ask({ httpGet: { path, port: 'http' } })).toEqual(result);
  });

  test('nobody there is a failure, in the words of the kubelet', async () => {
    const message = `Get "http://127.0.0.1:${free}/": dial tcp 127.0.0.1:${free}: connect: connection refused`;
    expect(await ask({ httpGet: { port: free } })).toEqual({ is: 'failure', message });
  });

  test('headers of the probe are sent', async () => {
    const httpHeaders = [{ name: 'X-Mine', value: 'yes' }];
    expect(await ask({ httpGet: { path: '/mine', port: web, httpHeaders } })).toEqual({ is: 'success' });
  });

  test('a port that the container does not name cannot be asked', async () => {
    const error = { is: 'error', message: `couldn't find port: "metrics"` };
    expect(await ask({ httpGet: { port: 'metrics' } })).toEqual(error);
  });
});

describe('over TCP', () => {
  test('somebody who listens is well, nobody is a failure', async () => {
    expect(await ask({ tcpSocket: { port: web } })).toEqual({ is: 'success' });
    const message = `dial tcp 127.0.0.1:${free}: connect: connection refused`;
    expect(await ask({ tcpSocket: { port: free } })).toEqual({ is: 'failure', message });
  });
});

describe('of a pod whose ports are elsewhere', () => {
  test.each<[string, Probe]>([
    ['a name', { httpGet: { path: '/fine', port: 'http' } }],
    ['a number', { httpGet: { path: '/fine', port: 8080 } }],
    ['a name over TCP', { tcpSocket: { port: 'http' } }],
    ['a number over TCP', { tcpSocket: { port: 8080, host: '' } }],
  ])('%s leads there', async (_, probe) => {
    expect(await elsewhere(probe, [[8080, web]])).toEqual({ is: 'success' });
  });

  test('a probe that names a host means the port of that host', async () => {
    const probe = { tcpSocket: { port: free, host: '127.0.0.1' } };
    expect(await elsewhere(probe, [[free, web]])).toEqual(fails(/connection refused/));
  });
});

describe('by a command', () => {
  test.each([
    ['code 0 is well', ['sh', '-c', 'test "$MINE" = yes'], { is: 'success' }],
    [
      'another code is a failure, with what it said',
      ['sh', '-c', 'echo no disk; exit 3'],
      fails(/^no disk\n$/),
    ],
    ['one that does not end is killed', ['sh', '-c', 'sleep 60 & sleep 60'], fails(/timed out after 1s/)],
    [
      'one that is not there cannot be asked',
      ['no-such-program'],
      { is: 'error', message: expect.any(String) },
    ],
  ])('%s', async (_, command, result) => {
    expect(await ask({ exec: { command } })).toEqual(result);
  });
});

describe('over gRPC', () => {
  const health = (status: number) =>
    createHttp2Server().on('stream', (stream: ServerHttp2Stream, headers) => {
      expect(headers[':path']).toBe('/grpc.health.v1.Health/Check');
      stream.on('data', (frame: Buffer) => {
        const serves = frame.equals(checkRequest('db'));
        stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(Buffer.from([0, 0, 0, 0, 2, 8, serves ? status : 3]));
      });
    });

  test.each([
    ['a service that serves is well', 'db', 1, { is: 'success' }],
    ['one that does not is a failure', 'db', 2, fails(/service unhealthy \(responded with "NOT_SERVING"\)/)],
    ['one that it does not know is a failure', 'other', 1, fails(/"SERVICE_UNKNOWN"/)],
  ])('%s', async (_, service, status, result) => {
    const port = await listening(health(status) as unknown as Server);
    expect(await ask({ grpc: { port, service } })).toEqual(result);
  });

  test('nobody there is a failure', async () => {
    expect(await ask({ grpc: { port: free } })).toEqual(fails(/no gRPC response from/));
  });

  test('the port is asked where it is', async () => {
    const port = await listening(health(1) as unknown as Server);
    const probe = { grpc: { port: 50_051, service: 'db' } };
    expect(await elsewhere(probe, [[50_051, port]])).toEqual({ is: 'success' });
  });
});
