import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import type { ObjectBody } from '../../api/http.ts';
import { service } from '../../api/objects.ts';
import type { Target } from '../../api/target.ts';
import { areaNode, makeNode, tolerations } from '../area-nodes.ts';
import { makeAt } from '../owned-objects.ts';
import { caseTimeoutMs } from '../stage.ts';

interface Endpoint {
  addresses: string[];
  conditions: { ready: boolean; serving: boolean; terminating: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef: { kind: string; namespace: string; name: string; uid: string };
}

type Slice = ObjectBody & {
  addressType: string;
  endpoints: Endpoint[] | null;
  ports: { name: string; port: number; protocol: string; appProtocol?: string }[] | null;
};

let nextAddress = 1;
const newAddress = () => `10.99.${Math.floor(nextAddress / 250)}.${(nextAddress++ % 250) + 1}`;

interface PodWishes {
  ready?: boolean;
  phase?: string;
  address?: string;
  spec?: object;
  finalizers?: string[];
  node?: string;
}

const running = (ready: boolean, address: string, phase = 'Running') => ({
  status: {
    phase,
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
  },
});

/** A pod with the state that a kubelet would report: assigned to a node, with an address. */
async function pod(target: Target, name: string, app: string, wishes: PodWishes = {}): Promise<ObjectBody> {
  const { ready = true, phase, address = newAddress(), spec = {}, finalizers = [], node } = wishes;
  const nodeName = node ?? (await areaNode(target));
  const made = await makeAt(target, target.core('pods'), {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app }, finalizers },
    spec: {
      nodeName,
      tolerations,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 30,
      containers: [{ name: 'app', image: 'app', ports: [{ name: 'web', containerPort: 8080 }] }],
      ...spec,
    },
  });
  await setStatus(target, name, ready, address, phase);
  return made;
}

async function setStatus(
  { api, core }: Target,
  name: string,
  ready: boolean,
  address: string,
  phase?: string,
): Promise<void> {
  const { code, text } = await api.patch(
    core(`pods/${name}/status`),
    'strategic',
    running(ready, address, phase),
  );
  if (code !== 200) throw new Error(text);
}

const serve = (target: Target, app: string, spec: object = {}, meta: object = {}) => {
  const ports = [{ port: 80, targetPort: 8080 }];
  const body = service({ name: app, ...meta }, { selector: { app }, ports, ...spec });
  return makeAt(target, target.core('services'), body);
};

async function slicesOf(target: Target, app: string): Promise<Slice[]> {
  const query = { labelSelector: `kubernetes.io/service-name=${app}` };
  const { body } = await target.api.get(target.group('discovery.k8s.io/v1', 'endpointslices'), { query });
  return body.items as Slice[];
}

function settle<T>(
  target: Target,
  app: string,
  what: string,
  look: (slices: Slice[]) => T | undefined,
): Promise<T> {
  const lookAgain = async () => {
    const slices = await slicesOf(target, app);
    const found = look(slices);
    return found === undefined ? { seen: JSON.stringify(slices).slice(0, 1500) } : { met: found };
  };
  return waitFor(`the slices of ${app}: ${what}`, lookAgain, { timeoutMs: (caseTimeoutMs * 2) / 3 });
}

const endpointsIn = (slices: Slice[]) => slices.flatMap(({ endpoints }) => endpoints ?? []);

/** Waits until the endpoints, by pod name, have these conditions. */
function conditions(target: Target, app: string, wanted: Record<string, string>): Promise<true> {
  const expected = JSON.stringify(Object.entries(wanted).sort());
  return settle(target, app, expected, (slices) => {
    const seen = endpointsIn(slices).map(({ targetRef, conditions: is }) => [
      targetRef.name,
      Object.entries(is)
        .flatMap(([name, value]) => (value ? name : []))
        .sort()
        .join(' '),
    ]);
    return JSON.stringify(seen.sort()) === expected ? true : undefined;
  });
}

contract(
  'endpoints of Services',
  (it) => {
    it('a Service tells where its pods are', async (target) => {
      const node = await areaNode(target);
      const owner = await serve(target, 'web', {}, { labels: { tier: 'front' } });
      const made = await pod(target, 'web-1', 'web', { address: '10.98.0.1' });
      const [slice] = await settle(target, 'web', 'one pod', (slices) =>
        endpointsIn(slices).length === 1 ? slices : undefined,
      );
      expect(slice?.addressType).toBe('IPv4');
      expect(slice?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
      expect(slice?.metadata.labels).toEqual({
        tier: 'front',
        'kubernetes.io/service-name': 'web',
        'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
      });
      expect(slice?.metadata.ownerReferences).toEqual([
        {
          apiVersion: 'v1',
          kind: 'Service',
          name: 'web',
          uid: owner.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
      expect(slice?.ports).toEqual([{ name: '', port: 8080, protocol: 'TCP' }]);
      expect(slice?.endpoints).toEqual([
        {
          addresses: ['10.98.0.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: node,
          targetRef: { kind: 'Pod', namespace: target.namespace, name: 'web-1', uid: made.metadata.uid },
        },
      ]);
    });

    it('a Service without pods says so by an empty slice', async (target) => {
      await serve(target, 'lonely');
      const slice = await settle(target, 'lonely', 'one', ([only]) => only);
      expect([slice.endpoints ?? [], slice.ports ?? []]).toEqual([[], []]);
    });

    it('a Service without a selector has what somebody else makes', async (target) => {
      const ports = [{ port: 80 }];
      await makeAt(target, target.core('services'), service('manual', { ports }));
      await serve(target, 'after-manual');
      await settle(target, 'after-manual', 'one', ([only]) => only);
      expect(await slicesOf(target, 'manual')).toEqual([]);
    });

    it('a name outside of the cluster has none', async (target) => {
      const spec = { type: 'ExternalName', externalName: 'example.com', selector: { app: 'outside' } };
      await makeAt(target, target.core('services'), service('outside', spec));
      await serve(target, 'after-outside');
      await settle(target, 'after-outside', 'one', ([only]) => only);
      expect(await slicesOf(target, 'outside')).toEqual([]);
    });

    it('a pod that is not Ready is told, and marked', async (target) => {
      await serve(target, 'mixed');
      await pod(target, 'mixed-1', 'mixed');
      await pod(target, 'mixed-2', 'mixed', { ready: false, address: '10.98.1.2' });
      await conditions(target, 'mixed', { 'mixed-1': 'ready serving', 'mixed-2': '' });
      await setStatus(target, 'mixed-2', true, '10.98.1.2');
      await conditions(target, 'mixed', { 'mixed-1': 'ready serving', 'mixed-2': 'ready serving' });
    });

    it('publishNotReadyAddresses calls everybody ready', async (target) => {
      await serve(target, 'eager', { publishNotReadyAddresses: true });
      await pod(target, 'eager-1', 'eager', { ready: false });
      await conditions(target, 'eager', { 'eager-1': 'ready' });
    });

    it('a pod on its way out serves, and is not ready', async (target) => {
      await serve(target, 'leaving');
      await pod(target, 'leaving-1', 'leaving');
      await conditions(target, 'leaving', { 'leaving-1': 'ready serving' });
      await target.api.delete(target.core('pods/leaving-1'));
      await conditions(target, 'leaving', { 'leaving-1': 'serving terminating' });
      await target.api.delete(target.core('pods/leaving-1'), { gracePeriodSeconds: 0 });
      await conditions(target, 'leaving', {});
    });

    it('a pod that is done, or has no address, is not there', async (target) => {
      await serve(target, 'some');
      await pod(target, 'some-1', 'some');
      await pod(target, 'some-2', 'some', { phase: 'Succeeded' });
      await pod(target, 'some-3', 'some', { phase: 'Failed' });
      await makeAt(target, target.core('pods'), {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'some-4', labels: { app: 'some' } },
        spec: { schedulerName: 'nobody', containers: [{ name: 'app', image: 'app' }] },
      });
      await conditions(target, 'some', { 'some-1': 'ready serving' });
    });

    it('a port by name is looked up in each pod', async (target) => {
      await serve(target, 'named', { ports: [{ name: 'http', port: 80, targetPort: 'web' }] });
      await pod(target, 'named-1', 'named');
      const containers = [{ name: 'app', image: 'app', ports: [{ name: 'web', containerPort: 9090 }] }];
      await pod(target, 'named-2', 'named', { spec: { containers } });
      const slices = await settle(target, 'named', 'two', (all) =>
        endpointsIn(all).length === 2 ? all : undefined,
      );
      const seen = slices.map(({ endpoints, ports }) => [endpoints?.[0]?.targetRef.name, ports]);
      expect(seen.sort()).toEqual([
        ['named-1', [{ name: 'http', port: 8080, protocol: 'TCP' }]],
        ['named-2', [{ name: 'http', port: 9090, protocol: 'TCP' }]],
      ]);
    });

    it('a name that a pod does not have is a port that it does not have', async (target) => {
      const ports = [
        { name: 'http', port: 80, targetPort: 'web' },
        { name: 'odd', port: 81, targetPort: 'missing' },
      ];
      await serve(target, 'odd', { ports });
      await pod(target, 'odd-1', 'odd');
      const [slice] = await settle(target, 'odd', 'one', (all) =>
        endpointsIn(all).length === 1 ? all : undefined,
      );
      expect(slice?.ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    });

    it('all ports of a Service are told, with their protocols', async (target) => {
      const ports = [
        { name: 'http', port: 80, targetPort: 8080, appProtocol: 'http' },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ];
      await serve(target, 'ports', { ports });
      await pod(target, 'ports-1', 'ports');
      const [slice] = await settle(target, 'ports', 'one', (all) =>
        endpointsIn(all).length === 1 ? all : undefined,
      );
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
      expect(slice?.ports?.toSorted(byName)).toEqual([
        { name: 'dns', port: 53, protocol: 'UDP' },
        { name: 'http', port: 8080, protocol: 'TCP', appProtocol: 'http' },
      ]);
    });

    it('when a port changes, the slice says the new one', async (target) => {
      await serve(target, 'moved');
      await pod(target, 'moved-1', 'moved');
      const before = await settle(target, 'moved', 'one', (all) =>
        endpointsIn(all).length === 1 ? all : undefined,
      );
      const change = [{ op: 'replace', path: '/spec/ports/0/targetPort', value: 9999 }];
      await target.api.patch(target.core('services/moved'), 'json', change);
      const after = await settle(target, 'moved', 'the new port', (all) =>
        all.length === 1 && all[0]?.ports?.[0]?.port === 9999 ? all : undefined,
      );
      expect(endpointsIn(after)).toEqual(endpointsIn(before));
      expect(after[0]?.metadata.name).toBe(before[0]?.metadata.name);
    });

    it('labels decide who belongs to it, at any time', async (target) => {
      await serve(target, 'club');
      await pod(target, 'club-1', 'club');
      await pod(target, 'guest', 'nobody');
      await conditions(target, 'club', { 'club-1': 'ready serving' });
      const label = (name: string, app: string) =>
        target.api.patch(target.core(`pods/${name}`), 'merge', { metadata: { labels: { app } } });
      await label('guest', 'club');
      await conditions(target, 'club', { 'club-1': 'ready serving', guest: 'ready serving' });
      await label('club-1', 'nobody');
      await conditions(target, 'club', { guest: 'ready serving' });
    });

    it('a new selector means other pods', async (target) => {
      await serve(target, 'switch', { selector: { app: 'switch-a' } });
      await pod(target, 'switch-1', 'switch-a');
      await pod(target, 'switch-2', 'switch-b');
      await conditions(target, 'switch', { 'switch-1': 'ready serving' });
      const spec = { selector: { app: 'switch-b' } };
      await target.api.patch(target.core('services/switch'), 'merge', { spec });
      await conditions(target, 'switch', { 'switch-2': 'ready serving' });
    });

    it('labels of the Service are those of its slices', async (target) => {
      await serve(target, 'labelled', {}, { labels: { a: 'b' } });
      await pod(target, 'labelled-1', 'labelled');
      await conditions(target, 'labelled', { 'labelled-1': 'ready serving' });
      const metadata = { labels: { a: null, c: 'd' } };
      await target.api.patch(target.core('services/labelled'), 'merge', { metadata });
      await settle(target, 'labelled', 'the new labels', ([slice]) => {
        const { a, c } = slice?.metadata.labels ?? {};
        return a === undefined && c === 'd' ? true : undefined;
      });
    });

    it('a headless Service marks its slices, and names its pods', async (target) => {
      await serve(target, 'headless', { clusterIP: 'None' });
      const spec = { hostname: 'first', subdomain: 'headless' };
      await pod(target, 'headless-1', 'headless', { spec });
      const [slice] = await settle(target, 'headless', 'one', (all) =>
        endpointsIn(all).length === 1 ? all : undefined,
      );
      expect(slice?.metadata.labels?.['service.kubernetes.io/headless']).toBe('');
      expect(slice?.endpoints?.[0]?.hostname).toBe('first');
    });

    it('the zone of a node is told', async (target) => {
      const labels = { 'topology.kubernetes.io/zone': 'here' };
      const node = await makeNode(target, 'zoned', { labels });
      await serve(target, 'zoned');
      await pod(target, 'zoned-1', 'zoned', { node });
      const [endpoint] = await settle(target, 'zoned', 'one', (all) => {
        const found = endpointsIn(all);
        return found.length === 1 ? found : undefined;
      });
      expect([endpoint?.zone, endpoint?.nodeName]).toEqual(['here', node]);
    });

    it('a slice that somebody spoils or deletes is put right', async (target) => {
      await serve(target, 'spoilt');
      await pod(target, 'spoilt-1', 'spoilt');
      await conditions(target, 'spoilt', { 'spoilt-1': 'ready serving' });
      const [slice] = await slicesOf(target, 'spoilt');
      const path = target.group('discovery.k8s.io/v1', `endpointslices/${slice?.metadata.name}`);
      await target.api.patch(path, 'merge', { endpoints: [] });
      await conditions(target, 'spoilt', { 'spoilt-1': 'ready serving' });
      await target.api.delete(path);
      await conditions(target, 'spoilt', { 'spoilt-1': 'ready serving' });
    });

    it('with its Service a slice goes', async (target) => {
      await serve(target, 'ended');
      await settle(target, 'ended', 'one', ([only]) => only);
      await target.api.delete(target.core('services/ended'));
      await settle(target, 'ended', 'none', (slices) => (slices.length === 0 ? true : undefined));
    });

    it('no more than a hundred pods are in one slice', async (target) => {
      await serve(target, 'crowd');
      const names = Array.from({ length: 120 }, (_, index) => `crowd-${index}`);
      await Promise.all(names.map((name) => pod(target, name, 'crowd')));
      const slices = await settle(target, 'crowd', 'all of them', (all) =>
        endpointsIn(all).length === 120 ? all : undefined,
      );
      expect(slices.map(({ endpoints }) => endpoints?.length ?? 0).every((size) => size <= 100)).toBe(true);
      expect(new Set(endpointsIn(slices).map(({ targetRef }) => targetRef.name))).toEqual(new Set(names));
    });
  },
  { atOnce: true, timeoutMs: caseTimeoutMs },
);
