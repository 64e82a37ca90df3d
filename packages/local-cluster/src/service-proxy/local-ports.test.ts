import { expect, test } from 'vitest';
import type { EndpointSlice, Service } from '../objects/service.ts';
import { candidates, ingressOf, isBalanced } from './local-ports.ts';
import { targetsOf } from './targets.ts';

test('a port goes where it was, else to its own number, else anywhere', () => {
  expect(candidates({ port: 80 }, new Map())).toEqual([80, 0]);
  expect(candidates({ port: 80 }, new Map([[80, 8080]]))).toEqual([8080, 80, 0]);
  expect(candidates({ port: 80 }, new Map([[80, 80]]))).toEqual([80, 0]);
});

const service = (spec: Service['spec'], deletionTimestamp?: string): Service => ({
  metadata: { name: 'web', ...(deletionTimestamp && { deletionTimestamp }) },
  spec,
});

test.each([
  ['a load balancer', service({ type: 'LoadBalancer' }), true],
  ['one of our class', service({ type: 'LoadBalancer', loadBalancerClass: 'local-cluster/balancer' }), true],
  ['one of another class', service({ type: 'LoadBalancer', loadBalancerClass: 'cloud.dev/x' }), false],
  ['one that goes', service({ type: 'LoadBalancer' }, '2026-01-01T00:00:00Z'), false],
  ['any other Service', service({ type: 'ClusterIP' }), false],
])('%s is balanced here: %s', (_, each, balanced) => {
  expect(isBalanced(each)).toBe(balanced);
});

test('a port that is not TCP says that it is not served', () => {
  const ports = [{ port: 80 }, { port: 53, protocol: 'UDP' }];
  expect(ingressOf(service({ ports })).ports).toEqual([
    { port: 80, protocol: 'TCP' },
    { port: 53, protocol: 'UDP', error: 'local-cluster/OnlyTCP' },
  ]);
});

const slice = (
  endpoints: [address: string, ready?: boolean, serving?: boolean, terminating?: boolean][],
): EndpointSlice => ({
  metadata: {},
  addressType: 'IPv4',
  ports: [
    { name: 'http', protocol: 'TCP', port: 8080 },
    { name: 'http', protocol: 'UDP', port: 9 },
  ],
  endpoints: endpoints.map(([address, ready, serving, terminating]) => ({
    addresses: [address],
    conditions: {
      ...(ready !== undefined && { ready }),
      ...(serving !== undefined && { serving }),
      ...(terminating !== undefined && { terminating }),
    },
  })),
});

test.each<[string, EndpointSlice[], string[]]>([
  [
    'who is ready',
    [
      slice([
        ['a', true],
        ['b', false],
      ]),
    ],
    ['a'],
  ],
  ['who says nothing', [slice([['a']])], ['a']],
  ['those of all slices', [slice([['a', true]]), slice([['b', true]])], ['a', 'b']],
  [
    'who goes and serves, when nobody is ready',
    [
      slice([
        ['a', false, true, true],
        ['b', false, false, true],
      ]),
    ],
    ['a'],
  ],
  [
    'not who goes, when somebody is ready',
    [
      slice([
        ['a', false, true, true],
        ['b', true, true, false],
      ]),
    ],
    ['b'],
  ],
  ['nobody', [{ ...slice([]), endpoints: null, ports: null }], []],
])('connections go to: %s', (_, slices, hosts) => {
  const targets = targetsOf({ name: 'http', port: 80 }, slices);
  expect(targets).toEqual(hosts.map((host) => ({ host, port: 8080 })));
});
