import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { invalid, refused, refuses } from '../statuses.ts';
import type { Target } from '../target.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../texts.ts';

const path = ({ group }: Target, name = '') =>
  group('discovery.k8s.io/v1', name === '' ? 'endpointslices' : `endpointslices/${name}`);

const slice = (name: string, more: object = {}) => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'] }],
  ...more,
});

const endpoint = (more: object) => ({ endpoints: [{ addresses: ['10.0.0.1'], ...more }] });
const at = (address: string) => endpoint({ addresses: [address] });

const bad: [why: string, more: object, ...causes: string[]][] = [
  ['no type of address', { addressType: '' }, 'addressType: Required value'],
  [
    'a type of address that is none',
    { addressType: 'Foo' },
    'addressType: Unsupported value: "Foo": supported values: "FQDN", "IPv4", "IPv6"',
  ],
  [
    'an endpoint that is nowhere',
    endpoint({ addresses: [] }),
    'endpoints[0].addresses: Required value: must contain at least 1 address',
  ],
  [
    'an address that is none',
    at('x'),
    'endpoints[0].addresses[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
  ],
  [
    'an address of another family',
    { addressType: 'IPv6' },
    'endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address',
  ],
  [
    'the machine itself, in another family',
    at('::1'),
    'endpoints[0].addresses: Invalid value: "::1": must be an IPv4 address',
    'endpoints[0].addresses[0]: Invalid value: "::1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    'the machine itself',
    at('127.0.0.1'),
    'endpoints[0].addresses[0]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    'an address of one cable',
    at('169.254.1.1'),
    'endpoints[0].addresses[0]: Invalid value: "169.254.1.1": may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  ],
  [
    'an address of everybody',
    at('224.0.0.1'),
    'endpoints[0].addresses[0]: Invalid value: "224.0.0.1": may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
  ],
  [
    'an address of nobody',
    at('0.0.0.0'),
    'endpoints[0].addresses[0]: Invalid value: "0.0.0.0": may not be unspecified (0.0.0.0)',
  ],
  [
    'a name without a domain',
    { addressType: 'FQDN', ...at('foo') },
    'endpoints[0].addresses[0]: Invalid value: "foo": should be a domain with at least two segments separated by dots',
  ],
  [
    'a name that is none',
    { addressType: 'FQDN', ...at('Foo_') },
    `endpoints[0].addresses[0]: Invalid value: "Foo_": ${dnsSubdomain}`,
  ],
  [
    'too many addresses',
    endpoint({ addresses: Array.from({ length: 101 }, (_, n) => `10.0.0.${n}`) }),
    'endpoints[0].addresses: Too many: 101: must have at most 100 items',
  ],
  [
    'too many endpoints',
    { endpoints: Array.from({ length: 1001 }, () => ({ addresses: ['10.0.0.1'] })) },
    'endpoints: Too many: 1001: must have at most 1000 items',
  ],
  [
    'a hostname that is none',
    endpoint({ hostname: 'A_' }),
    `endpoints[0].hostname: Invalid value: "A_": ${dnsLabel}`,
  ],
  [
    'a node’s name that is none',
    endpoint({ nodeName: 'A_' }),
    `endpoints[0].nodeName: Invalid value: "A_": ${dnsSubdomain}`,
  ],
  [
    'one zone twice',
    endpoint({ hints: { forZones: [{ name: 'a' }, { name: 'a' }] } }),
    'endpoints[0].hints.forZones[1].name: Duplicate value: "a"',
  ],
  [
    'a zone that is none',
    endpoint({ hints: { forZones: [{ name: 'a b' }] } }),
    `endpoints[0].hints.forZones[0].name: Invalid value: "a b": ${labelValue}`,
  ],
  ['two ports without a name', { ports: [{}, {}] }, 'ports[1].name: Duplicate value: ""'],
  ['two ports of one name', { ports: [{ name: 'a' }, { name: 'a' }] }, 'ports[1].name: Duplicate value: "a"'],
  [
    'a port’s name that is none',
    { ports: [{ name: 'A_' }] },
    `ports[0].name: Invalid value: "A_": ${dnsLabel}`,
  ],
  [
    'protocols that are none',
    {
      ports: [
        { name: 'a', protocol: 'X' },
        { name: 'b', protocol: '' },
      ],
    },
    'ports[0].protocol: Unsupported value: "X": supported values: "SCTP", "TCP", "UDP"',
    'ports[1].protocol: Unsupported value: "": supported values: "SCTP", "TCP", "UDP"',
  ],
  [
    'a protocol of the application that is none',
    { ports: [{ name: 'a', appProtocol: 'a b' }] },
    `ports[0].appProtocol: Invalid value: "a b": ${qualifiedName}`,
  ],
];

contract('EndpointSlices', (it) => {
  for (const [why, more, ...causes] of bad)
    it(
      `a slice with ${why} is refused`,
      refuses(
        (target) => target.api.post(path(target), slice('bad', more)),
        invalid('EndpointSlice.discovery.k8s.io', 'bad', ...causes),
      ),
    );

  it('a slice gets its defaults', async (target) => {
    const { code, body } = await target.api.post(path(target), slice('plain', { ports: [{ port: 80 }] }));
    expect([code, body.metadata.generation, body['endpoints'], body['ports']]).toEqual([
      201,
      1,
      [{ addresses: ['10.0.0.1'], conditions: {} }],
      [{ name: '', protocol: 'TCP', port: 80 }],
    ]);
  });

  it('a slice of nothing shows that it is', async (target) => {
    const { body } = await target.api.post(path(target), slice('empty', { endpoints: [], ports: [] }));
    expect([body['endpoints'], body['ports']]).toEqual([null, null]);
  });

  it('conditions are kept as they are', async (target) => {
    const conditions = { ready: false, serving: true, terminating: true };
    const { body } = await target.api.post(path(target), slice('conditions', endpoint({ conditions })));
    expect(body['endpoints']).toEqual([{ addresses: ['10.0.0.1'], conditions }]);
  });

  it('names are taken with a warning', async (target) => {
    const object = slice('named', { addressType: 'FQDN', ...at('foo.example.com') });
    const { code, headers } = await target.api.post(path(target), object);
    expect([code, headers['warning']]).toEqual([
      201,
      '299 - "spec.addressType: FQDN endpoints are deprecated"',
    ]);
  });

  it('the type of address stays', async (target) => {
    await target.api.post(path(target), slice('typed'));
    refused(
      target,
      await target.api.patch(path(target, 'typed'), 'merge', { addressType: 'IPv6', endpoints: [] }),
      invalid(
        'EndpointSlice.discovery.k8s.io',
        'typed',
        'addressType: Invalid value: "IPv6": field is immutable',
      ),
    );
  });

  it('endpoints and labels make a new generation, annotations do not', async (target) => {
    await target.api.post(path(target), slice('counted'));
    const change = async (more: object) => {
      const { body } = await target.api.patch(path(target, 'counted'), 'merge', more);
      return body.metadata.generation;
    };
    expect(await change(at('10.0.0.2'))).toBe(2);
    expect(await change({ metadata: { labels: { a: 'b' } } })).toBe(3);
    expect(await change({ metadata: { annotations: { a: 'b' } } })).toBe(3);
  });
});
