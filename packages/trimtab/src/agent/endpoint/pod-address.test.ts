import { expect, test } from 'vitest';
import { isPodAddress, isPodHost } from './pod-address.ts';

const podIps = ['10.1.2.3', 'fd00::3'];

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '10.1.2.3', '::ffff:10.1.2.3', 'fd00:0::3'])(
  '%s is an address of the pod',
  (address) => {
    expect(isPodAddress(address, podIps)).toBe(true);
  },
);

test.each([
  '10.1.2.4',
  '::ffff:10.1.2.4',
  'fd00::4',
  '::',
  '0.0.0.0',
  'fe80::1%eth0',
  '',
  'localhost',
  '128.0.0.1',
])('%s is not', (address) => {
  expect(isPodAddress(address, podIps)).toBe(false);
});

test.each([
  ['http://localhost:8080/', true],
  ['http://LOCALHOST/', true],
  ['http://127.1/', true],
  ['http://[::1]:8080/', true],
  ['http://[fd00::3]/', true],
  ['http://10.1.2.3/', true],
  ['http://localhost.example.com/', false],
  ['http://10.1.2.3.nip.example/', false],
  ['http://169.254.169.254/', false],
  ['http://kubernetes.default/', false],
])('%s leads to the pod: %s', (url, isPod) => {
  expect(isPodHost(new URL(url).hostname, podIps)).toBe(isPod);
});

test('a pod without a known IP has its loopback addresses', () => {
  expect(isPodAddress('127.0.0.1', [])).toBe(true);
  expect(isPodAddress('10.1.2.3', [''])).toBe(false);
});
