import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import type { ObjectBody } from '../../api/http.ts';
import type { Target } from '../../api/target.ts';
import { makeNode, tolerations } from '../area-nodes.ts';
import { makeAt } from '../owned-objects.ts';
import { caseTimeoutMs } from '../stage.ts';

interface Pod {
  metadata: ObjectBody['metadata'];
  spec: { nodeName?: string };
  status: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
}

const on = (node: string) => ({ nodeSelector: { 'test.dev/node': node } });
const asking = (requests: Record<string, string>, name = 'app') => ({
  name,
  image: 'app',
  resources: { requests },
});

function pod(name: string, spec: object = {}) {
  const containers = [{ name: 'app', image: 'app' }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: { containers, tolerations, automountServiceAccountToken: false, ...spec },
  };
}

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
const near = (app: string) => ({ labelSelector: { matchLabels: { app } } });
const constraint = (app: string) => ({
  ...near(app),
  maxSkew: 1,
  topologyKey: 'test.dev/zone',
  whenUnsatisfiable: 'DoNotSchedule',
});

function labelled(name: string, app: string, spec: object) {
  return { ...pod(name, spec), metadata: { name, labels: { app } } };
}

const createLabelled = (target: Target, name: string, app: string, spec: object) =>
  makeAt(target, target.core('pods'), labelled(name, app, spec));

const create = (target: Target, name: string, spec: object) =>
  makeAt(target, target.core('pods'), pod(name, spec));

async function readPod({ api, core }: Target, name: string): Promise<Pod> {
  return (await api.get(core(`pods/${name}`))).body as unknown as Pod;
}

function scheduled(target: Target, name: string, node: string): Promise<Pod> {
  return waitFor(`${name} has a node`, async () => {
    const found = await readPod(target, name);
    if (found.spec?.nodeName === undefined) return { seen: JSON.stringify(found.status ?? found) };
    expect(found.spec.nodeName).toBe(node);
    return { met: found };
  });
}

/** Waits until the condition PodScheduled of a pending pod contains the reason, and returns its message. */
function refusedWith(target: Target, name: string, reason: string): Promise<string> {
  return waitFor(`the reason '${reason}' for ${name}`, async () => {
    const { spec, status } = await readPod(target, name);
    const condition = status.conditions?.find(({ type }) => type === 'PodScheduled');
    const { message = '' } = condition ?? {};
    const isIt = condition?.status === 'False' && condition.reason === 'Unschedulable';
    return spec.nodeName === undefined && isIt && message.includes(reason)
      ? { met: message }
      : { seen: JSON.stringify([spec.nodeName, condition]) };
  });
}

async function eventsOf({ api, core }: Target, name: string, reason: string): Promise<ObjectBody[]> {
  const { body } = await api.get(core('events'), { query: { fieldSelector: `involvedObject.name=${name}` } });
  return body.items.filter((each) => each['reason'] === reason);
}

function event(target: Target, name: string, reason: string): Promise<ObjectBody> {
  return waitFor(`an event ${reason} of ${name}`, async () => {
    const [first] = await eventsOf(target, name, reason);
    return first === undefined ? { seen: 'none' } : { met: first };
  });
}

const end = (target: Target, name: string) =>
  target.api.delete(target.core(`pods/${name}`), { gracePeriodSeconds: 0 });

const other =
  "node\\(s\\) (didn't match Pod's node affinity/selector|had untolerated taint\\(s\\)|were unschedulable)";
/** Matches the whole message, including the reasons of any other nodes. */
const message = (reason: string, preemption: string) =>
  new RegExp(
    `^0/\\d+ nodes are available: (\\d+ ${other}, )*${reason}(, \\d+ ${other})*\\. no new claims to deallocate, preemption: 0/\\d+ nodes are available: (\\d+ [^,]+, )*${preemption}(, \\d+ [^,]+)*\\.$`,
  );
const unhelpful = '\\d+ Preemption is not helpful for scheduling';
const noVictims = '1 No preemption victims found for incoming pod';

contract(
  'scheduling',
  (it) => {
    it('a pod that fits gets a node, and an event says which', async (target) => {
      const node = await makeNode(target, 'fits');
      await create(target, 'fitting', on(node));
      const { status } = await scheduled(target, 'fitting', node);
      expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True' }]);
      expect(await event(target, 'fitting', 'Scheduled')).toMatchObject({
        type: 'Normal',
        message: `Successfully assigned ${target.namespace}/fitting to ${node}`,
        reportingComponent: 'default-scheduler',
      });
    });

    it('a node selector that no node has keeps it waiting, until one has', async (target) => {
      const node = await makeNode(target, 'selected');
      await create(target, 'choosy', { nodeSelector: { 'test.dev/choice': target.namespace } });
      const why = message("\\d+ node\\(s\\) didn't match Pod's node affinity/selector", unhelpful);
      expect(await refusedWith(target, 'choosy', 'affinity/selector')).toMatch(why);
      // The Event may be of an earlier attempt with a different number of nodes, because other cases create nodes.
      expect(await event(target, 'choosy', 'FailedScheduling')).toMatchObject({
        type: 'Warning',
        message: expect.stringMatching(why),
      });
      const labels = { 'test.dev/choice': target.namespace };
      await target.api.patch(`/api/v1/nodes/${node}`, 'merge', { metadata: { labels } });
      await scheduled(target, 'choosy', node);
    });

    for (const [what, expressions] of [
      ['In', [{ key: 'test.dev/size', operator: 'In', values: ['7', '8'] }]],
      ['NotIn', [{ key: 'test.dev/size', operator: 'NotIn', values: ['8'] }]],
      ['Exists', [{ key: 'test.dev/size', operator: 'Exists' }]],
      ['DoesNotExist', [{ key: 'test.dev/missing', operator: 'DoesNotExist' }]],
      ['Gt', [{ key: 'test.dev/size', operator: 'Gt', values: ['6'] }]],
      ['Lt', [{ key: 'test.dev/size', operator: 'Lt', values: ['8'] }]],
    ] as const)
      it(`a required affinity by ${what} is kept`, async (target) => {
        const name = what.toLowerCase();
        const node = await makeNode(target, `affine-${name}`, { labels: { 'test.dev/size': '7' } });
        const mine = { key: 'test.dev/node', operator: 'In', values: [node] };
        const affinity = (matchExpressions: readonly object[]) => ({
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
            },
          },
        });
        await create(target, `affine-${name}`, affinity([mine, ...expressions]));
        await scheduled(target, `affine-${name}`, node);
        const never = { key: 'test.dev/size', operator: 'In', values: ['9'] };
        await create(target, `averse-${name}`, affinity([mine, ...expressions, never]));
        await refusedWith(target, `averse-${name}`, 'affinity/selector');
      });

    it('one term of an affinity is enough', async (target) => {
      const node = await makeNode(target, 'either');
      const term = (name: string) => ({
        matchExpressions: [{ key: 'test.dev/node', operator: 'In', values: [name] }],
      });
      const required = { nodeSelectorTerms: [term('another'), term(node)] };
      const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
      await create(target, 'either', { affinity: { nodeAffinity } });
      await scheduled(target, 'either', node);
    });

    it('a pod may name its node by field, as those of a DaemonSet do', async (target) => {
      const node = await makeNode(target, 'field');
      const affine = (name: string) => {
        const matchFields = [{ key: 'metadata.name', operator: 'In', values: [name] }];
        const required = { nodeSelectorTerms: [{ matchFields }] };
        return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
      };
      await create(target, 'by-field', affine(node));
      await scheduled(target, 'by-field', node);
      await create(target, 'by-wrong-field', affine('no-such-node'));
      const said = await refusedWith(target, 'by-wrong-field', '[NodeAffinity]');
      expect(said).toMatch(
        /^0\/(\d+) nodes are available: \1 node\(s\) didn't satisfy plugin\(s\) \[NodeAffinity\]\. no new claims to deallocate, preemption: 0\/\1 nodes are available: \1 Preemption is not helpful for scheduling\.$/,
      );
    });

    it('a taint keeps off who does not tolerate it', async (target) => {
      const taint = { key: 'test.dev/gold', value: 'yes', effect: 'NoSchedule' };
      const node = await makeNode(target, 'tainted', { taints: [taint] });
      await create(target, 'plain', on(node));
      await create(target, 'wrong-value', {
        ...on(node),
        tolerations: [...tolerations, { ...taint, value: 'no' }],
      });
      await create(target, 'rich', {
        ...on(node),
        tolerations: [...tolerations, { ...taint, operator: 'Equal' }],
      });
      await scheduled(target, 'rich', node);
      for (const name of ['plain', 'wrong-value']) {
        const said = await refusedWith(target, name, 'untolerated taint');
        expect(said).toMatch(message('\\d+ node\\(s\\) had untolerated taint\\(s\\)', unhelpful));
      }
    });

    it('when a taint goes, who waited comes', async (target) => {
      const taint = { key: 'test.dev/busy', effect: 'NoSchedule' };
      const node = await makeNode(target, 'untainted', { taints: [taint] });
      await create(target, 'patient', on(node));
      await refusedWith(target, 'patient', 'untolerated taint');
      const taints = [{ key: 'test.dev/area', value: target.namespace, effect: 'NoSchedule' }];
      await target.api.patch(`/api/v1/nodes/${node}`, 'merge', { spec: { taints } });
      await scheduled(target, 'patient', node);
    });

    it('a taint that only prefers keeps nobody off', async (target) => {
      const taints = [{ key: 'test.dev/meh', effect: 'PreferNoSchedule' }];
      const node = await makeNode(target, 'preferred', { taints });
      await create(target, 'unimpressed', on(node));
      await scheduled(target, 'unimpressed', node);
    });

    it('a cordoned node takes nobody, until it is not', async (target) => {
      const node = await makeNode(target, 'cordoned', { unschedulable: true });
      await create(target, 'outside', on(node));
      await refusedWith(target, 'outside', '1 node(s) were unschedulable');
      await target.api.patch(`/api/v1/nodes/${node}`, 'merge', { spec: { unschedulable: null } });
      await scheduled(target, 'outside', node);
    });

    it('more CPU than is left is refused, and granted when there is room', async (target) => {
      const node = await makeNode(target, 'small', { allocatable: { cpu: '2' } });
      await create(target, 'first', { ...on(node), containers: [asking({ cpu: '1500m' })] });
      await scheduled(target, 'first', node);
      await create(target, 'second', { ...on(node), containers: [asking({ cpu: '600m' })] });
      const said = await refusedWith(target, 'second', '1 Insufficient cpu');
      expect(said).toMatch(message('1 Insufficient cpu', noVictims));
      await end(target, 'first');
      await scheduled(target, 'second', node);
    });

    it('more than a node has at all cannot be helped', async (target) => {
      const node = await makeNode(target, 'tiny', { allocatable: { cpu: '1', memory: '1Gi' } });
      await create(target, 'huge', { ...on(node), containers: [asking({ cpu: '2', memory: '2Gi' })] });
      const said = await refusedWith(target, 'huge', '1 Insufficient cpu, 1 Insufficient memory');
      expect(said).toMatch(message('1 Insufficient cpu, 1 Insufficient memory', unhelpful));
    });

    it('a resource that the node does not have is not there', async (target) => {
      const node = await makeNode(target, 'gpuless');
      const resources = { requests: { 'test.dev/gpu': '1' }, limits: { 'test.dev/gpu': '1' } };
      await create(target, 'gpu', { ...on(node), containers: [{ name: 'a', image: 'a', resources }] });
      await refusedWith(target, 'gpu', '1 Insufficient test.dev/gpu');
    });

    it('a node takes as many pods as it says', async (target) => {
      const node = await makeNode(target, 'full', { allocatable: { pods: '1' } });
      await create(target, 'only', on(node));
      await scheduled(target, 'only', node);
      await create(target, 'surplus', on(node));
      await refusedWith(target, 'surplus', '1 Too many pods');
    });

    it('a pod that is done takes no room', async (target) => {
      const node = await makeNode(target, 'done', { allocatable: { pods: '1' } });
      await create(target, 'worker', on(node));
      await scheduled(target, 'worker', node);
      await create(target, 'next', on(node));
      await refusedWith(target, 'next', '1 Too many pods');
      await target.api.patch(target.core('pods/worker/status'), 'merge', { status: { phase: 'Succeeded' } });
      await scheduled(target, 'next', node);
    });

    it('what is asked for as a limit only counts, too', async (target) => {
      const node = await makeNode(target, 'limits', { allocatable: { cpu: '1' } });
      const resources = { limits: { cpu: '2' } };
      await create(target, 'limited', { ...on(node), containers: [{ name: 'a', image: 'a', resources }] });
      await refusedWith(target, 'limited', '1 Insufficient cpu');
    });

    it('init containers count one by one, sidecars all the time', async (target) => {
      const node = await makeNode(target, 'init', { allocatable: { cpu: '1' } });
      const sidecar = { ...asking({ cpu: '600m' }, 'sidecar'), restartPolicy: 'Always' };
      const steps = [asking({ cpu: '900m' }, 'step-1'), asking({ cpu: '900m' }, 'step-2')];
      const containers = [asking({ cpu: '500m' })];
      await create(target, 'with-sidecar', { ...on(node), containers, initContainers: [sidecar] });
      await refusedWith(target, 'with-sidecar', '1 Insufficient cpu');
      await create(target, 'with-steps', { ...on(node), containers, initContainers: steps });
      await scheduled(target, 'with-steps', node);
    });

    it('one pod of a node has a port of the host', async (target) => {
      const node = await makeNode(target, 'ports');
      const listening = (hostPort: number) => ({
        ...on(node),
        containers: [{ name: 'a', image: 'a', ports: [{ containerPort: 80, hostPort }] }],
      });
      await create(target, 'listener', listening(8080));
      await scheduled(target, 'listener', node);
      await create(target, 'neighbour', listening(8081));
      await scheduled(target, 'neighbour', node);
      await create(target, 'latecomer', listening(8080));
      await refusedWith(target, 'latecomer', "1 node(s) didn't have free ports for the requested pod ports");
    });

    it('who keeps away from its like waits for a node of its own', async (target) => {
      const node = await makeNode(target, 'apart');
      const apart = {
        ...on(node),
        affinity: { podAntiAffinity: { [required]: [{ ...near('apart'), topologyKey: 'test.dev/node' }] } },
      };
      await createLabelled(target, 'apart-1', 'apart', apart);
      await scheduled(target, 'apart-1', node);
      await createLabelled(target, 'apart-2', 'apart', apart);
      const said = await refusedWith(target, 'apart-2', 'anti-affinity');
      expect(said).toMatch(message("1 node\\(s\\) didn't match pod anti-affinity rules", noVictims));
      await end(target, 'apart-1');
      await scheduled(target, 'apart-2', node);
    });

    it('who is there and cannot bear a pod keeps it off', async (target) => {
      const node = await makeNode(target, 'grumpy');
      const podAntiAffinity = { [required]: [{ ...near('quiet'), topologyKey: 'test.dev/node' }] };
      await createLabelled(target, 'grumpy', 'grumpy', { ...on(node), affinity: { podAntiAffinity } });
      await scheduled(target, 'grumpy', node);
      await createLabelled(target, 'quiet', 'quiet', on(node));
      const said = await refusedWith(target, 'quiet', 'existing pods');
      expect(said).toMatch(
        message("1 node\\(s\\) didn't satisfy existing pods anti-affinity rules", noVictims),
      );
    });

    it('who wants company waits until it is there, and goes where it is', async (target) => {
      const labels = { 'test.dev/pair': target.namespace };
      const first = await makeNode(target, 'alone', { labels: { ...labels, 'test.dev/room': 'a' } });
      const second = await makeNode(target, 'together', { labels: { ...labels, 'test.dev/room': 'b' } });
      const podAffinity = { [required]: [{ ...near('host'), topologyKey: 'test.dev/room' }] };
      await createLabelled(target, 'guest', 'guest', { nodeSelector: labels, affinity: { podAffinity } });
      const said = await refusedWith(target, 'guest', 'pod affinity');
      expect(said).toMatch(message("2 node\\(s\\) didn't match pod affinity rules", unhelpful));
      expect(first).not.toBe(second);
      await createLabelled(target, 'host', 'host', on(second));
      await scheduled(target, 'guest', second);
    });

    it('the first of those who want to be together goes ahead', async (target) => {
      const node = await makeNode(target, 'flock');
      const podAffinity = { [required]: [{ ...near('flock'), topologyKey: 'test.dev/node' }] };
      for (const name of ['flock-1', 'flock-2']) {
        await createLabelled(target, name, 'flock', { ...on(node), affinity: { podAffinity } });
        await scheduled(target, name, node);
      }
    });

    it('pods of another namespace are meant when a term says so', async (target) => {
      const node = await makeNode(target, 'abroad');
      const elsewhere = await target.engine.namespace();
      await makeAt(
        target,
        `/api/v1/namespaces/${elsewhere}/pods`,
        labelled('stranger', 'stranger', on(node)),
      );
      const term = { ...near('stranger'), topologyKey: 'test.dev/node' };
      await waitFor('the pod of the other namespace has its node', async () => {
        const { body } = await target.api.get(`/api/v1/namespaces/${elsewhere}/pods/stranger`);
        return (body as unknown as Pod).spec.nodeName === node ? { met: true } : { seen: 'no node' };
      });
      const averse = (more: object) => ({
        ...on(node),
        affinity: { podAntiAffinity: { [required]: [{ ...term, ...more }] } },
      });
      await create(target, 'homebody', averse({}));
      await scheduled(target, 'homebody', node);
      await create(target, 'by-name', averse({ namespaces: [elsewhere] }));
      await refusedWith(target, 'by-name', "1 node(s) didn't match pod anti-affinity rules");
      const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': elsewhere } };
      await create(target, 'by-labels', averse({ namespaceSelector }));
      await refusedWith(target, 'by-labels', "1 node(s) didn't match pod anti-affinity rules");
      await create(target, 'by-other-labels', averse({ namespaceSelector: { matchLabels: { no: 'such' } } }));
      await scheduled(target, 'by-other-labels', node);
    });

    for (const [direction, isNear] of [
      ['podAffinity', true],
      ['podAntiAffinity', false],
    ] as const)
      it(`a preferred ${direction} chooses among nodes that fit`, async (target) => {
        const labels = { 'test.dev/choose': `${direction}-${target.namespace}` };
        const name = direction.toLowerCase();
        const [first, second] = await Promise.all(
          ['1', '2'].map((each) => makeNode(target, `${name}-${each}`, { labels })),
        );
        await createLabelled(target, `${name}-there`, name, on(second ?? ''));
        await scheduled(target, `${name}-there`, second ?? '');
        const podAffinityTerm = { ...near(name), topologyKey: 'test.dev/node' };
        const affinity = { [direction]: { [preferred]: [{ weight: 100, podAffinityTerm }] } };
        await create(target, `${name}-chooses`, { nodeSelector: labels, affinity });
        await scheduled(target, `${name}-chooses`, (isNear ? second : first) ?? '');
      });

    it('pods that must be spread are, and wait when they cannot be', async (target) => {
      const labels = { 'test.dev/spread': target.namespace };
      const nodes = await Promise.all(
        ['a', 'b'].map((zone) =>
          makeNode(target, `spread-${zone}`, {
            labels: { ...labels, 'test.dev/zone': zone },
            allocatable: zone === 'a' ? { pods: '1' } : {},
          }),
        ),
      );
      const spread = { nodeSelector: labels, topologySpreadConstraints: [constraint('spread')] };
      for (const name of ['spread-1', 'spread-2', 'spread-3'])
        await createLabelled(target, name, 'spread', spread);
      const placed = await waitFor('two pods have a node, and the third has a condition', async () => {
        const found = await Promise.all(
          ['spread-1', 'spread-2', 'spread-3'].map((name) => readPod(target, name)),
        );
        const where = found.map(({ spec }) => spec.nodeName).filter((each) => each !== undefined);
        const lost = found.find(({ spec }) => spec.nodeName === undefined);
        return where.length === 3 || lost?.status.conditions !== undefined
          ? { met: found }
          : { seen: where.join() };
      });
      // One zone has room for one pod, so the other may have at most one more.
      const where = placed.flatMap(({ spec }) => spec.nodeName ?? []);
      expect([...new Set(where)].sort()).toEqual(nodes.toSorted());
      await createLabelled(target, 'spread-4', 'spread', spread);
      const said = await refusedWith(target, 'spread-4', 'topology spread');
      expect(said).toMatch(/1 Too many pods, .*1 node\(s\) didn't match pod topology spread constraints[,.]/);
    });

    it('a node without the label is no place to spread over', async (target) => {
      const node = await makeNode(target, 'placeless');
      await createLabelled(target, 'placeless', 'placeless', {
        ...on(node),
        topologySpreadConstraints: [constraint('placeless')],
      });
      const said = await refusedWith(target, 'placeless', 'topology spread');
      expect(said).toMatch(
        message(
          "1 node\\(s\\) didn't match pod topology spread constraints \\(missing required label\\)",
          unhelpful,
        ),
      );
    });

    it('a spread that is a wish keeps nobody off', async (target) => {
      const node = await makeNode(target, 'anyway', { labels: { 'test.dev/zone': 'anyway' } });
      const wish = { ...constraint('anyway'), whenUnsatisfiable: 'ScheduleAnyway' };
      for (const name of ['anyway-1', 'anyway-2', 'anyway-3']) {
        await createLabelled(target, name, 'anyway', { ...on(node), topologySpreadConstraints: [wish] });
        await scheduled(target, name, node);
      }
    });

    it('a pod behind gates is left alone until they are open', async (target) => {
      const node = await makeNode(target, 'gates');
      await create(target, 'gated', { ...on(node), schedulingGates: [{ name: 'test.dev/gate' }] });
      await create(target, 'ungated', on(node));
      await scheduled(target, 'ungated', node);
      const { spec, status } = await readPod(target, 'gated');
      expect([spec.nodeName, status.conditions?.[0]?.reason]).toEqual([undefined, 'SchedulingGated']);
      const open = [{ op: 'remove', path: '/spec/schedulingGates' }];
      await target.api.patch(target.core('pods/gated'), 'json', open);
      await scheduled(target, 'gated', node);
    });

    it('a pod of another scheduler is none of its business', async (target) => {
      const node = await makeNode(target, 'other');
      await create(target, 'others', { ...on(node), schedulerName: 'somebody-else' });
      await create(target, 'ours', on(node));
      await scheduled(target, 'ours', node);
      const { spec, status } = await readPod(target, 'others');
      expect([spec.nodeName, status.conditions]).toEqual([undefined, undefined]);
    });

    it('of many at once no more are placed than fit', async (target) => {
      const node = await makeNode(target, 'race', { allocatable: { cpu: '3' } });
      const names = Array.from({ length: 12 }, (_, index) => `racer-${index}`);
      const spec = { ...on(node), containers: [asking({ cpu: '1' })] };
      await Promise.all(names.map((name) => create(target, name, spec)));
      const placed = await waitFor('all pods have a condition, and the node is full', async () => {
        const found = await Promise.all(names.map((name) => readPod(target, name)));
        const open = found.filter(({ status }) => status.conditions === undefined);
        const inside = found.filter((each) => each.spec.nodeName);
        // All pods are refused at first when the scheduler observes them before the node.
        return open.length === 0 && inside.length >= 3
          ? { met: inside }
          : { seen: `${open.length} without, ${inside.length} placed` };
      });
      expect(placed).toHaveLength(3);
      await end(target, placed[0]?.metadata.name ?? '');
      await waitFor('the next pod is scheduled', async () => {
        const rest = names.filter((name) => name !== placed[0]?.metadata.name);
        const found = await Promise.all(rest.map((name) => readPod(target, name)));
        const inside = found.filter((each) => each.spec.nodeName).length;
        return inside === 3 ? { met: true } : { seen: String(inside) };
      });
    });
  },
  { atOnce: true, timeoutMs: caseTimeoutMs },
);
