import { expect, test } from 'vitest';
import type { Service } from '../../objects/service.ts';
import { linkedServices, serviceVariables } from './service-variables.ts';

const service = (namespace: string, name: string, spec: NonNullable<Service['spec']>): Service => ({
  metadata: { namespace, name },
  spec,
});
const kubernetes = service('default', 'kubernetes', {
  clusterIP: '10.96.0.1',
  ports: [{ name: 'https', port: 443, protocol: 'TCP' }],
});
const services = [
  kubernetes,
  service('shop', 'redis-main', { clusterIP: '10.96.1.1', ports: [{ port: 6379 }] }),
  service('shop', 'headless', { clusterIP: 'None', ports: [{ port: 1 }] }),
  service('shop', 'external', { ports: [{ port: 1 }] }),
  service('default', 'web', { clusterIP: '10.96.1.2', ports: [{ port: 80 }] }),
];
const names = (list: Service[]) => list.map(({ metadata }) => metadata.name);

test('a pod hears of the Services of its namespace that have an address, and of the API server', () => {
  expect(names(linkedServices(services, { namespace: 'shop', links: true }))).toEqual([
    'kubernetes',
    'redis-main',
  ]);
});

test('a pod that wants no links hears of the API server only', () => {
  expect(names(linkedServices(services, { namespace: 'shop', links: false }))).toEqual(['kubernetes']);
});

test('a Service has the variables that kubelet makes of it', () => {
  const dns = service('shop', 'kube-dns', {
    clusterIP: '10.96.0.10',
    ports: [
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'dns-tcp', port: 53, protocol: 'TCP' },
    ],
  });
  expect(Object.fromEntries(serviceVariables([dns]))).toEqual({
    KUBE_DNS_SERVICE_HOST: '10.96.0.10',
    KUBE_DNS_SERVICE_PORT: '53',
    KUBE_DNS_SERVICE_PORT_DNS: '53',
    KUBE_DNS_SERVICE_PORT_DNS_TCP: '53',
    KUBE_DNS_PORT: 'udp://10.96.0.10:53',
    KUBE_DNS_PORT_53_UDP: 'udp://10.96.0.10:53',
    KUBE_DNS_PORT_53_UDP_PROTO: 'udp',
    KUBE_DNS_PORT_53_UDP_PORT: '53',
    KUBE_DNS_PORT_53_UDP_ADDR: '10.96.0.10',
    KUBE_DNS_PORT_53_TCP: 'tcp://10.96.0.10:53',
    KUBE_DNS_PORT_53_TCP_PROTO: 'tcp',
    KUBE_DNS_PORT_53_TCP_PORT: '53',
    KUBE_DNS_PORT_53_TCP_ADDR: '10.96.0.10',
  });
});

test('an address of IPv6 is written so that a port can follow', () => {
  const six = service('shop', 'six', { clusterIP: 'fd00::1', ports: [{ port: 80 }] });
  expect(serviceVariables([six]).get('SIX_PORT')).toBe('tcp://[fd00::1]:80');
  expect(serviceVariables([six]).get('SIX_SERVICE_HOST')).toBe('fd00::1');
});

test('programs in pods find the API server where it really listens', () => {
  const apiServer = { host: '127.0.0.1', port: 7443 };
  const variables = serviceVariables(
    linkedServices(services, { namespace: 'shop', links: false, apiServer }),
  );
  expect(variables.get('KUBERNETES_SERVICE_HOST')).toBe('127.0.0.1');
  expect(variables.get('KUBERNETES_SERVICE_PORT')).toBe('7443');
  expect(variables.get('KUBERNETES_SERVICE_PORT_HTTPS')).toBe('7443');
  expect(variables.get('KUBERNETES_PORT_7443_TCP_ADDR')).toBe('127.0.0.1');
});
