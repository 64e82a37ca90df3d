import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientAddress } from './client-address.ts';
import { trustedProxies, wideBlocks } from './trusted-proxies.ts';

const isTrusted = trustedProxies(['10.0.0.0/8', '192.0.2.1', 'fd00::/8']);
const client = (peer: string, forwardedFor: string, trusted = isTrusted) =>
  clientAddress(peer, forwardedFor, trusted);

describe('the client of a request', () => {
  test.each([
    ['is the peer, without a proxy', '203.0.113.5', '', '203.0.113.5'],
    ['is the peer, whatever it claims', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
    ['is whom the proxy names', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['is not whom the client names', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['is before all proxies', '10.0.0.1', '198.51.100.1, 192.0.2.1,10.9.9.9', '198.51.100.1'],
    ['is the first proxy, if that has no other', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['is the proxy that says nothing', '10.0.0.1', '', '10.0.0.1'],
    ['is the proxy that says what is no address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['is the last one known when an entry is empty', '10.0.0.1', '198.51.100.1,, 10.0.0.2', '10.0.0.2'],
    [
      'is found behind a proxy with an IPv4-mapped address',
      '::ffff:10.0.0.1',
      '198.51.100.1',
      '198.51.100.1',
    ],
    ['has an IPv4 address although it is mapped', '::FFFF:c633:6401', '', '198.51.100.1'],
    ['has one address however it is written', 'fd00::1', '2001:DB8:0::0007', '2001:db8::7'],
    ['has an address without its port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['has an IPv6 address without its port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['is not a name', '10.0.0.1', 'client.example', '10.0.0.1'],
    ['has no zone', 'fe80::1%eth0', '', 'fe80::1'],
    ['may be gone', '', '198.51.100.1', 'unknown'],
  ])('%s', (_, peer, forwardedFor, expected) => {
    expect(client(peer, forwardedFor)).toBe(expected);
  });

  test('is the peer when no proxy is trusted', () => {
    expect(client('10.0.0.1', '198.51.100.1', trustedProxies([]))).toBe('10.0.0.1');
  });

  test('is what the outermost trusted proxy saw, whatever the client sent along', () => {
    const made = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(
        made,
        fc.ipV4().filter((address) => !isTrusted(address)),
        (header, address) => {
          expect(client('10.0.0.1', `${header},${address},10.0.0.2`)).toBe(address);
          expect(client('203.0.113.5', header)).toBe('203.0.113.5');
        },
      ),
    );
  });

  test('is found in bounded time', () => {
    const endless = Array.from({ length: 5_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`).join(',');
    expect(client('10.0.0.1', `198.51.100.1,${endless}`)).toMatch(/^10\.0\.19\.\d+$/);
  });
});

describe('trusted proxies', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['::ffff:10.0.0.0/104', '10.255.0.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.1', false],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['0.0.0.0/0', '203.0.113.5', true],
    ['0.0.0.0/0', '2001:db8::7', false],
    ['2001:DB8::/32', '2001:db8:1::1', true],
    ['192.0.2.1', 'client.example', false],
  ])('%s contains %s: %s', (block, address, contained) => {
    expect(trustedProxies([block])(address)).toBe(contained);
  });

  test.each([
    '',
    'all',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '10.0.0.0/8/8',
    'fd00::/129',
    '::ffff:10.0.0.0/8',
  ])('%j is refused with a sentence', (entry) => {
    expect(() => trustedProxies(['10.0.0.1', entry])).toThrow(
      `--trusted-proxies: ${JSON.stringify(entry)} is not an IP address or a block`,
    );
  });

  test('are wide when they have more addresses than load balancers do', () => {
    const narrow = ['10.0.0.7', '10.0.0.0/24', '10.0.0.0/32', 'fd00::7', 'fd00::/64', '::ffff:10.0.0.0/120'];
    const wide = ['10.0.0.0/8', '10.0.0.0/23', '0.0.0.0/0', 'fd00::/63', '::/0', '::ffff:10.0.0.0/104'];
    expect(wideBlocks([...narrow, ...wide])).toEqual(wide);
  });
});
