import { expect, test } from 'vitest';
import type { Container } from '../../objects/pod.ts';
import { addressVariables, withLocalPort } from './port-variables.ts';
import { containerPorts, podPorts } from './wanted-ports.ts';

const web: Container = {
  name: 'web',
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'admin-api', containerPort: 9090 },
  ],
  livenessProbe: { tcpSocket: { port: 7070 } },
};
const helper: Container = { name: 'helper', ports: [{ name: 'http', containerPort: 6060 }] };
const spec = { initContainers: [helper], containers: [web] };
const ports = new Map([
  [8080, 20_001],
  [9090, 20_002],
  [7070, 20_003],
  [6060, 20_004],
]);
const shared = { ip: '127.0.0.1', ports };

test('a program is told where to listen, and where the others of its pod do', () => {
  expect(addressVariables({ spec }, web, shared)).toEqual({
    POD_IP: '127.0.0.1',
    PORT: '20001',
    PORT_8080: '20001',
    PORT_HTTP: '20001',
    PORT_9090: '20002',
    PORT_ADMIN_API: '20002',
    PORT_7070: '20003',
    PORT_6060: '20004',
  });
  expect(addressVariables({ spec }, helper, shared)).toMatchObject({ PORT: '20004', PORT_HTTP: '20004' });
});

test('a container without ports has none of its own', () => {
  const idle = { name: 'idle' };
  expect(addressVariables({ spec: { containers: [idle, web] } }, idle, shared)).not.toHaveProperty('PORT');
});

test('with an address of its own it listens where its manifest says', () => {
  const own = { ip: '127.20.0.1', ports: new Map<number, number>() };
  expect(addressVariables({ spec }, web, own)).toEqual({ POD_IP: '127.20.0.1' });
  const told = { ...web, env: [{ name: 'PORT', value: '8080' }] };
  expect(withLocalPort(told, own)).toBe(told);
});

test.each([
  ['names a port of the container', 'PORT', '8080', '20001'],
  ['names another one', 'PORT', '5000', '5000'],
  ['is no PORT', 'SIZE', '8080', '8080'],
])('a variable of the manifest that %s', (_, name, value, seen) => {
  expect(withLocalPort({ ...web, env: [{ name, value }] }, shared).env).toEqual([{ name, value: seen }]);
});

test('ports are those that are declared, and then those that probes and hooks ask by number', () => {
  const asked: Container = {
    name: 'web',
    ports: [{ name: 'http', containerPort: 8080 }],
    readinessProbe: { httpGet: { port: 'http' } },
    livenessProbe: { httpGet: { port: 8081 } },
    startupProbe: { grpc: { port: 50_051 } },
    lifecycle: {
      postStart: { tcpSocket: { port: 1, host: 'db.example' } },
      preStop: { httpGet: { port: '8082' } },
    },
  };
  expect(containerPorts(asked).map(({ port }) => port)).toEqual([8080, 50_051, 8081, 8082]);
  expect(podPorts({ containers: [asked, asked], initContainers: [helper] })).toEqual([
    6060, 8080, 50_051, 8081, 8082,
  ]);
});
