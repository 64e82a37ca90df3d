import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Charge, charge } from './charge.ts';
import type { ResourceQuota } from './quota-object.ts';

type Amounts = Record<string, string>;

const pods = { group: '', plural: 'pods' };
const now = Date.parse('2026-11-15T12:00:00Z');

function quota(hard: Amounts, used: Amounts, spec: Partial<ResourceQuota['spec']> = {}): ResourceQuota {
  return { metadata: { name: 'q' }, spec: { hard, ...spec }, status: { hard, used } };
}

function pod(requests: Amounts = {}, limits: Amounts = {}, more: object = {}): Charge {
  const containers = [{ name: 'app', resources: { requests, limits } }];
  return { resource: pods, object: { metadata: {}, spec: { containers, ...more } }, isStatus: false };
}

const service = (type: string, ports: number) => ({
  metadata: {},
  spec: { type, ports: Array.from({ length: ports }, () => ({})) },
});

describe('a write is charged, or hears why not', () => {
  test.each<[string, ResourceQuota, Charge, Amounts | string]>([
    ['a pod with room', quota({ pods: '2' }, { pods: '1' }), pod(), { pods: '2' }],
    [
      'a pod too many',
      quota({ pods: '2' }, { pods: '2' }),
      pod(),
      'exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2',
    ],
    [
      'only what is too much is told',
      quota({ pods: '2', 'requests.cpu': '1' }, { pods: '1', 'requests.cpu': '500m' }),
      pod({ cpu: '600m' }),
      'exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=500m, limited: requests.cpu=1',
    ],
    [
      'more than the limit is used already, and nothing of it is asked for',
      quota(
        { pods: '5', 'limits.ephemeral-storage': '1Gi' },
        { pods: '1', 'limits.ephemeral-storage': '3Gi' },
      ),
      pod(),
      { pods: '2', 'limits.ephemeral-storage': '3Gi' },
    ],
    [
      'a container that does not say',
      quota({ 'limits.cpu': '1' }, { 'limits.cpu': '0' }),
      pod({ cpu: '1' }),
      'failed quota: q: must specify limits.cpu for: app',
    ],
    [
      'nobody has counted yet',
      quota({ pods: '2', 'count/pods': '2' }, { pods: '0' }),
      pod(),
      'status unknown for quota: q, resources: count/pods,pods',
    ],
    ['a quota of something else', quota({ services: '0' }, { services: '0' }), pod(), { services: '0' }],
    [
      'a quota of other pods',
      quota({ pods: '0' }, { pods: '0' }, { scopes: ['NotBestEffort'] }),
      pod(),
      { pods: '0' },
    ],
    [
      'a Service in a quota of pods of some scope',
      quota({ 'count/services': '0' }, { 'count/services': '0' }, { scopes: ['BestEffort'] }),
      { resource: { group: '', plural: 'services' }, object: service('ClusterIP', 1), isStatus: false },
      { 'count/services': '0' },
    ],
    [
      'a Service that opens a port of the nodes more',
      quota({ services: '1', 'services.nodeports': '2' }, { services: '1', 'services.nodeports': '1' }),
      {
        resource: { group: '', plural: 'services' },
        object: service('NodePort', 2),
        old: service('NodePort', 1),
        isStatus: false,
      },
      { services: '1', 'services.nodeports': '2' },
    ],
    [
      'a Service that opens one less',
      quota({ 'services.nodeports': '2' }, { 'services.nodeports': '2' }),
      {
        resource: { group: '', plural: 'services' },
        object: service('NodePort', 1),
        old: service('NodePort', 2),
        isStatus: false,
      },
      { 'services.nodeports': '2' },
    ],
    [
      'a kind of somebody’s own',
      quota({ 'count/widgets.test.dev': '1' }, { 'count/widgets.test.dev': '1' }),
      { resource: { group: 'test.dev', plural: 'widgets' }, object: {}, isStatus: false },
      'exceeded quota: q, requested: count/widgets.test.dev=1, used: count/widgets.test.dev=1, limited: count/widgets.test.dev=1',
    ],
  ])('%s', (_, before, write, expected) => {
    const outcome = charge([before], write, now);
    if (typeof expected === 'string') expect(outcome).toEqual({ refused: expected });
    else expect('quotas' in outcome && outcome.quotas[0]?.status.used).toEqual(expected);
  });
});

test('what one quota refuses is charged to none', () => {
  const wide = quota({ pods: '9' }, { pods: '1' });
  expect(charge([wide, quota({ pods: '1' }, { pods: '1' })], pod(), now)).toHaveProperty('refused');
  expect(wide.status.used).toEqual({ pods: '1' });
});

test('whatever comes, no quota is exceeded, and what is used is the sum of what was taken', () => {
  const request = fc.record({ cpu: fc.nat(900), deadline: fc.boolean() });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 30 }), (requests) => {
      let quotas = [
        quota({ 'requests.cpu': '3', pods: '10' }, { 'requests.cpu': '0', pods: '0' }),
        quota({ pods: '4' }, { pods: '0' }, { scopes: ['Terminating'] }),
      ];
      const taken = { cpu: 0, pods: 0, withDeadline: 0 };
      for (const { cpu, deadline } of requests) {
        const outcome = charge(
          quotas,
          pod({ cpu: `${cpu}m` }, {}, deadline ? { activeDeadlineSeconds: 1 } : {}),
          now,
        );
        if ('refused' in outcome) continue;
        quotas = outcome.quotas;
        taken.cpu += cpu;
        taken.pods += 1;
        if (deadline) taken.withDeadline += 1;
      }
      expect(taken.cpu).toBeLessThanOrEqual(3000);
      expect(taken.pods).toBeLessThanOrEqual(10);
      expect(taken.withDeadline).toBeLessThanOrEqual(4);
      expect(quotas[0]?.status.used?.['pods']).toBe(String(taken.pods));
      expect(quotas[1]?.status.used?.['pods']).toBe(String(taken.withDeadline));
    }),
  );
});
