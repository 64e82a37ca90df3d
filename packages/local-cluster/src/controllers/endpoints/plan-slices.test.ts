import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localPortsAnnotation } from '../../objects/local-ports.ts';
import type { Node } from '../../objects/node.ts';
import type { Pod } from '../../objects/pod.ts';
import type { EndpointSlice, Service } from '../../objects/service.ts';
import { planSlices } from './plan-slices.ts';

const service: Service = {
  metadata: { name: 'web', namespace: 'a', uid: 'service' },
  spec: {
    selector: { app: 'web' },
    clusterIP: '10.0.0.1',
    ipFamilies: ['IPv4'],
    ports: [{ name: 'http', port: 80, targetPort: 'web' }],
  },
};
const home: Node = { metadata: { name: 'home' } };
const node = (name: string) => (name === 'home' ? home : undefined);

function pod(
  index: number,
  more: { ready?: boolean; port?: number; going?: boolean; node?: string } = {},
): Pod {
  const { ready = true, port = 8080, going = false, node: nodeName = 'home' } = more;
  return {
    metadata: {
      name: `web-${index}`,
      namespace: 'a',
      uid: `pod-${index}`,
      ...(going && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    },
    spec: { nodeName, containers: [{ name: 'app', ports: [{ name: 'web', containerPort: port }] }] },
    status: {
      phase: 'Running',
      podIP: `10.1.${Math.floor(index / 200)}.${(index % 200) + 1}`,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    },
  };
}

/** The slices on the server after the plan is applied. New slices get a name. */
let named = 0;
function applied(slices: readonly EndpointSlice[], pods: readonly Pod[], of = service): EndpointSlice[] {
  const { create, update, remove } = planSlices({ service: of, pods, node, slices });
  const gone = new Set(remove.map(({ metadata }) => metadata.name));
  const changed = new Map(update.map((slice) => [slice.metadata.name, slice]));
  const kept = slices
    .filter(({ metadata }) => !gone.has(metadata.name))
    .map((slice) => changed.get(slice.metadata.name) ?? slice);
  const fresh = create.map((slice) => ({
    ...slice,
    metadata: { ...slice.metadata, name: `web-${named++}` },
  }));
  return [...kept, ...fresh];
}

test('a pod whose node is gone is left out, unless all addresses are wanted', () => {
  const pods = [pod(1), pod(2, { node: 'away' })];
  const shown = (of: Service) =>
    applied([], pods, of).flatMap(({ endpoints }) =>
      (endpoints ?? []).map(({ targetRef }) => targetRef?.name),
    );
  expect(shown(service)).toEqual(['web-1']);
  const eager = { ...service, spec: { ...service.spec, publishNotReadyAddresses: true } };
  expect(shown(eager)).toEqual(['web-1', 'web-2']);
});

test('slices of a Service of the same name that was before are not touched up, but deleted', () => {
  const [slice] = applied([], [pod(1)]);
  const again = { ...service, metadata: { ...service.metadata, uid: 'another' } };
  const plan = planSlices({ service: again, pods: [pod(1)], node, slices: slice ? [slice] : [] });
  expect([plan.create.length, plan.update.length, plan.remove.length]).toEqual([1, 0, 1]);
});

test('pods that share an address are each in a slice with the port that they really have', () => {
  const sharing = (index: number, text: string) => {
    const { metadata, ...rest } = pod(index);
    return { ...rest, metadata: { ...metadata, annotations: { [localPortsAnnotation]: text } } };
  };
  const byNumber = { ...service, spec: { ...service.spec, ports: [{ port: 80, targetPort: 8080 }] } };
  for (const of of [service, byNumber]) {
    const slices = applied([], [sharing(1, '8080=20001'), sharing(2, '8080=20002,9=10'), pod(3)], of);
    const seen = slices.map(({ ports, endpoints }) => [
      ports?.[0]?.port,
      endpoints?.map(({ targetRef }) => targetRef?.name),
    ]);
    expect(seen.sort()).toEqual([
      [20_001, ['web-1']],
      [20_002, ['web-2']],
      [8080, ['web-3']],
    ]);
  }
});

test('two kinds of addresses are two slices', () => {
  const dual = { ...service, spec: { ...service.spec, ipFamilies: ['IPv4', 'IPv6'] } };
  const both = pod(1);
  both.status = { ...both.status, podIPs: [{ ip: '10.1.0.1' }, { ip: 'fd00::1' }] };
  const seen = applied([], [both], dual).map(({ addressType, endpoints }) => [
    addressType,
    endpoints?.[0]?.addresses,
  ]);
  expect(seen).toEqual([
    ['IPv4', ['10.1.0.1']],
    ['IPv6', ['fd00::1']],
  ]);
});

const crowd = fc
  .uniqueArray(
    fc.record({
      index: fc.nat(260),
      ready: fc.boolean(),
      going: fc.boolean(),
      port: fc.constantFrom(8080, 9090),
      node: fc.constantFrom('home', 'home', 'home', 'away'),
    }),
    { selector: ({ index }) => index, maxLength: 260, size: 'max' },
  )
  .map((all) => all.map(({ index, ...more }) => pod(index, more)));

test('from whatever there was, each pod is in one slice of its port, none is too full, and then all is quiet', () => {
  fc.assert(
    fc.property(fc.array(crowd, { minLength: 1, maxLength: 4 }), (history) => {
      let slices: EndpointSlice[] = [];
      for (const pods of history) {
        slices = applied(slices, pods);
        const shown = slices.flatMap(({ endpoints, ports }) =>
          (endpoints ?? []).map(({ targetRef, conditions }) => [
            targetRef?.name,
            ports?.[0]?.port,
            conditions,
          ]),
        );
        const wanted = pods
          .filter(({ spec }) => spec.nodeName === 'home')
          .map(({ metadata, spec, status }) => {
            const serving = status?.conditions?.[0]?.status === 'True';
            const terminating = metadata.deletionTimestamp !== undefined;
            const port = spec.containers[0]?.ports?.[0]?.containerPort;
            return [metadata.name, port, { ready: serving && !terminating, serving, terminating }];
          });
        const byName = (a: unknown[], b: unknown[]) => (String(a[0]) < String(b[0]) ? -1 : 1);
        expect(shown.sort(byName)).toEqual(wanted.sort(byName));
        expect(slices.length).toBeGreaterThan(0);
        expect(slices.every(({ endpoints }) => (endpoints?.length ?? 0) <= 100)).toBe(true);
        expect(planSlices({ service, pods, node, slices })).toEqual({ create: [], update: [], remove: [] });
      }
    }),
    { numRuns: 60 },
  );
});
