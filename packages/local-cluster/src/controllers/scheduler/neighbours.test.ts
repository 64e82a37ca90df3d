import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Node } from '../../objects/node.ts';
import type { Pod, SpreadConstraint } from '../../objects/pod.ts';
import type { NodeLoad } from './node-fit.ts';
import { planScheduling } from './plan-scheduling.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

const node = (name: string, labels: Record<string, string> = {}): Node => ({
  metadata: { name, labels: { host: name, ...labels } },
  status: { allocatable: { cpu: '32', memory: '256Gi', pods: '250' } },
});
const pod = (app: string, spec: Partial<Pod['spec']> = {}, namespace = 'shop', more: object = {}): Pod => ({
  metadata: { name: app, namespace, labels: { app }, ...more },
  spec: { containers: [{ name: 'a' }], ...spec },
});
const term = (app: string, more: object = {}) => ({
  topologyKey: 'host',
  labelSelector: { matchLabels: { app } },
  ...more,
});
const near = (app: string, more: object = {}) => ({
  affinity: { podAffinity: { [required]: [term(app, more)] } },
});
const far = (app: string, more: object = {}) => ({
  affinity: { podAntiAffinity: { [required]: [term(app, more)] } },
});
const spread = (more: Partial<SpreadConstraint> = {}) => ({
  topologySpreadConstraints: [
    { ...term('web'), topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', ...more },
  ],
});

const labelsOf = (namespace: string) => ({ team: namespace === 'shop' ? 'blue' : 'red' });
const plan = (wanted: Pod, loads: NodeLoad[]) => planScheduling(wanted, loads, labelsOf);
const loads = (a: Pod[], b: Pod[]): NodeLoad[] => [
  { node: node('a', { zone: 'x' }), pods: a },
  { node: node('b', { zone: 'y' }), pods: b },
];
const web = pod('web');
/** Fills a node, so a test that expects this node does not pass merely because the node is the emptiest. */
const crowd = [pod('other'), pod('other'), pod('other')];

describe('where a pod goes because of others', () => {
  test.each<[string, Pod, NodeLoad[], string]>([
    ['away from its like', pod('web', far('web')), loads([web], crowd), 'b'],
    ['away from who cannot bear it', web, loads([pod('db', far('web'))], crowd), 'b'],
    ['to whom it wants to be near', pod('cache', near('web')), loads([], [web, ...crowd]), 'b'],
    ['anywhere, as the first of a group', pod('web', near('web')), loads([], []), 'a'],
    [
      'past a namesake of another namespace',
      pod('web', far('web')),
      loads([pod('web', {}, 'lab')], crowd),
      'a',
    ],
    [
      'away from a namespace that is named',
      pod('web', far('web', { namespaces: ['lab'] })),
      loads([pod('web', {}, 'lab')], [web, ...crowd]),
      'b',
    ],
    [
      'away from namespaces with a label',
      pod('web', far('web', { namespaceSelector: { matchLabels: { team: 'red' } } })),
      loads([pod('web', {}, 'lab')], [web, ...crowd]),
      'b',
    ],
    [
      'away from all namespaces',
      pod('web', far('web', { namespaceSelector: {} })),
      loads([pod('web', {}, 'lab')], crowd),
      'b',
    ],
    [
      'anywhere, with a term that means nobody',
      pod('web', far('web', { labelSelector: undefined })),
      loads([web], crowd),
      'a',
    ],
    ['to the place with fewer, when places must be even', pod('web', spread()), loads([web], crowd), 'b'],
    [
      'to the place with fewer, when it only wishes',
      pod('web', spread({ whenUnsatisfiable: 'ScheduleAnyway' })),
      loads([web, web], crowd),
      'b',
    ],
    [
      'past who is going already',
      pod('web', spread()),
      loads([pod('web', {}, 'shop', { deletionTimestamp: '2026-11-15T12:00:00Z' })], crowd),
      'a',
    ],
    [
      'to the company it prefers',
      pod('cache', {
        affinity: { podAffinity: { [preferred]: [{ weight: 5, podAffinityTerm: term('web') }] } },
      }),
      loads([], [web, pod('other')]),
      'b',
    ],
    [
      'away from what those who are there would rather not have',
      web,
      loads(
        [
          pod('db', {
            affinity: { podAntiAffinity: { [preferred]: [{ weight: 5, podAffinityTerm: term('web') }] } },
          }),
        ],
        [pod('other'), pod('other')],
      ),
      'b',
    ],
  ])('%s', (_, wanted, nodes, name) => {
    expect(plan(wanted, nodes)).toEqual({ node: name });
  });
});

describe('why it goes nowhere', () => {
  const tail = 'no new claims to deallocate, preemption: 0/2 nodes are available:';
  const helpless = `${tail} 2 Preemption is not helpful for scheduling.`;
  const noVictims = `${tail} 2 No preemption victims found for incoming pod.`;
  test.each<[string, Pod, NodeLoad[], string]>([
    [
      'its like is everywhere',
      pod('web', far('web')),
      loads([web], [web]),
      `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${noVictims}`,
    ],
    [
      'nobody can bear it',
      web,
      loads([pod('db', far('web', { topologyKey: 'all' }))], []).map((load) => ({
        ...load,
        node: node(load.node.metadata.name ?? '', { all: 'one' }),
      })),
      `0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules. ${noVictims}`,
    ],
    [
      'it is alone',
      pod('cache', near('web')),
      loads([], []),
      `0/2 nodes are available: 2 node(s) didn't match pod affinity rules. ${helpless}`,
    ],
    [
      'there are no such places',
      pod('web', spread({ topologyKey: 'rack' })),
      loads([], []),
      `0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints (missing required label). ${helpless}`,
    ],
    [
      'there are too few places to begin with',
      pod('web', spread({ minDomains: 3 })),
      loads([web], [web]),
      `0/2 nodes are available: 2 node(s) didn't match pod topology spread constraints. ${noVictims}`,
    ],
  ])('%s', (_, wanted, nodes, message) => {
    expect(plan(wanted, nodes)).toEqual({ message });
  });
});

test('whatever comes, pods that must be spread stay even, and those that keep apart never meet', () => {
  const kind = fc.constantFrom('spread', 'apart');
  fc.assert(
    fc.property(fc.array(kind, { maxLength: 20 }), (kinds) => {
      const nodes = ['x', 'y', 'z'].map((zone) => ({ node: node(zone, { zone }), pods: [] as Pod[] }));
      for (const each of kinds) {
        const constraint = {
          ...spread().topologySpreadConstraints[0],
          ...term('spread'),
          topologyKey: 'zone',
        };
        const wanted =
          each === 'apart'
            ? pod('apart', far('apart'))
            : pod('spread', { topologySpreadConstraints: [constraint as SpreadConstraint] });
        const placement = plan(wanted, nodes);
        if ('node' in placement)
          nodes.find(({ node: { metadata } }) => metadata.name === placement.node)?.pods.push(wanted);
      }
      const counts = (app: string) =>
        nodes.map(({ pods }) => pods.filter(({ metadata }) => metadata.name === app).length);
      expect(Math.max(...counts('spread')) - Math.min(...counts('spread'))).toBeLessThanOrEqual(1);
      expect(Math.max(...counts('apart'))).toBeLessThanOrEqual(1);
      expect(counts('apart').reduce((a, b) => a + b)).toBe(
        Math.min(3, kinds.filter((each) => each === 'apart').length),
      );
    }),
  );
});
