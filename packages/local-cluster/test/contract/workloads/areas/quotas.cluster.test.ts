import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import type { Answer } from '../../api/http.ts';
import { configMap, pod, replicationController, resourceQuota, secret, service } from '../../api/objects.ts';
import { forbidden, refused } from '../../api/statuses.ts';
import type { Target } from '../../api/target.ts';

type Amounts = Record<string, string>;

/** Kinds that no case creates, so that a quota of zero does not interfere. */
const rare = [
  { plural: 'leases', apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
  { plural: 'roles', apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
];

/** A separate namespace for each case, because a quota applies to a whole namespace. */
class Place {
  readonly target: Target;
  readonly namespace: string;
  #probes = 0;

  constructor(target: Target, namespace: string) {
    this.target = target;
    this.namespace = namespace;
  }

  static async of(target: Target): Promise<Place> {
    return new Place(target, await target.engine.namespace());
  }

  at = (rest: string) => `/api/v1/namespaces/${this.namespace}/${rest}`;

  post = (collection: string, object: object, query: Record<string, string> = {}) =>
    this.target.api.post(this.at(collection), object, { query });

  async made(collection: string, object: object): Promise<Answer> {
    const answer = await this.post(collection, object);
    if (answer.code !== 201) throw new Error(`POST ${collection}: ${answer.code} ${answer.text}`);
    return answer;
  }

  /** Creates the object once admission has observed that the quota has room. */
  taken(collection: string, object: object): Promise<unknown> {
    return waitFor(`the quota has room in ${collection}`, async () => {
      const { code, text } = await this.post(collection, object);
      return code === 201 ? { met: true } : { seen: text };
    });
  }

  /** Creates a quota and waits until it is counted and enforced. */
  async quota(name: string, hard: Amounts, more: object = {}): Promise<void> {
    await this.counted(name, hard, more);
    await this.#probe();
  }

  /** Kubernetes' admission observes quotas in order: once it enforces a later quota, it enforces the earlier one, too. */
  async #probe(): Promise<void> {
    const { plural, apiVersion, kind } = rare[this.#probes++] ?? fail('there is no third probe');
    const [group] = apiVersion.split('/');
    await this.counted(`probe-${plural}`, { [`count/${plural}.${group}`]: '0' });
    await waitFor('the quotas are enforced', async () => {
      const { code, text } = await this.target.api.post(
        `/apis/${apiVersion}/namespaces/${this.namespace}/${plural}`,
        { apiVersion, kind, metadata: { name: 'probe' } },
        { query: { dryRun: 'All' } },
      );
      return code === 403 ? { met: true } : { seen: text };
    });
  }

  async counted(name: string, hard: Amounts, more: object = {}): Promise<void> {
    await this.made('resourcequotas', resourceQuota(name, { hard, ...more }));
    await waitFor(`${name} is counted`, async () => {
      const { status, text } = await this.#read(name);
      const isCounted = Object.keys(hard).every((each) => status.hard?.[each] && status.used?.[each]);
      return isCounted ? { met: true } : { seen: text };
    });
  }

  /** Waits for the cache of Kubernetes' quota controller, from which a new quota is counted and which may be stale. */
  isHeardOf(used: Amounts): Promise<unknown> {
    let attempts = 0;
    return waitFor(`the quota controller has observed ${JSON.stringify(used)}`, async () => {
      const name = `early-${attempts++}`;
      await this.counted(name, Object.fromEntries(Object.keys(used).map((each) => [each, '9'])));
      const found = await this.used(name);
      await this.target.api.delete(this.at(`resourcequotas/${name}`));
      const isSo = Object.entries(used).every(([each, amount]) => found?.[each] === amount);
      return isSo ? { met: true } : { seen: JSON.stringify(found) };
    });
  }

  uses(name: string, used: Amounts): Promise<unknown> {
    return waitFor(`${name} has used ${JSON.stringify(used)}`, async () => {
      const { status, text } = await this.#read(name);
      const isSo = Object.entries(used).every(([each, amount]) => status.used?.[each] === amount);
      return isSo ? { met: true } : { seen: text };
    });
  }

  /** Reads the usage once. A charge is visible as soon as the request that caused it has been answered. */
  async used(name: string): Promise<Amounts | undefined> {
    return (await this.#read(name)).status.used;
  }

  async #read(name: string) {
    const { body, text } = await this.target.api.get(this.at(`resourcequotas/${name}`));
    return { status: (body['status'] ?? {}) as { hard?: Amounts; used?: Amounts }, text };
  }
}

function fail(message: string): never {
  throw new Error(message);
}

const asking = (resources: { requests?: Amounts; limits?: Amounts }, name = 'app') => ({
  name,
  image: 'app:1',
  resources,
});
const withResources = (
  name: string,
  resources: { requests?: Amounts; limits?: Amounts },
  more: object = {},
) => pod(name, { containers: [asking(resources)], ...more });

contract(
  'quotas',
  (it) => {
    it('what is there before a quota is counted, and what comes is charged at once', async (target) => {
      const place = await Place.of(target);
      await place.made('pods', pod('before'));
      await place.isHeardOf({ pods: '1' });
      await place.quota('q', { pods: '3', 'count/pods': '5' });
      expect(await place.used('q')).toEqual({ pods: '1', 'count/pods': '1' });
      await place.made('pods', pod('after'));
      expect(await place.used('q')).toEqual({ pods: '2', 'count/pods': '2' });
    });

    it('one pod too many is refused, and taken when another is gone', async (target) => {
      const place = await Place.of(target);
      await place.quota('two', { pods: '2' });
      await place.made('pods', pod('a'));
      await place.made('pods', pod('b'));
      refused(
        target,
        await place.post('pods', pod('c')),
        forbidden('pods', 'c', 'exceeded quota: two, requested: pods=1, used: pods=2, limited: pods=2'),
      );
      await target.api.delete(place.at('pods/a'));
      await place.uses('two', { pods: '1' });
      await place.taken('pods', pod('c'));
    });

    it('a pod that is done is an object still, and a pod no more', async (target) => {
      const place = await Place.of(target);
      await place.quota('q', { pods: '1', 'count/pods': '5' });
      await place.made('pods', pod('worker'));
      await target.api.patch(place.at('pods/worker/status'), 'merge', { status: { phase: 'Succeeded' } });
      await place.uses('q', { pods: '0', 'count/pods': '1' });
      await place.taken('pods', pod('next'));
    });

    it('of many at once no more are taken than there is room for', async (target) => {
      const place = await Place.of(target);
      await place.quota('few', { pods: '5' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => place.post('pods', pod(`racer-${index}`))),
      );
      expect(answers.filter(({ code }) => code === 201)).toHaveLength(5);
      expect(answers.filter(({ code }) => code === 403)).toHaveLength(15);
      expect(await place.used('few')).toEqual({ pods: '5' });
    });

    it('a dry run is told, and costs nothing', async (target) => {
      const place = await Place.of(target);
      await place.quota('one', { configmaps: '2' });
      await place.uses('one', { configmaps: '1' });
      const dry = await place.post('configmaps', configMap('dry'), { dryRun: 'All' });
      expect([dry.code, await place.used('one')]).toEqual([201, { configmaps: '1' }]);
      await place.made('configmaps', configMap('real'));
      refused(
        target,
        await place.post('configmaps', configMap('dry'), { dryRun: 'All' }),
        forbidden(
          'configmaps',
          'dry',
          'exceeded quota: one, requested: configmaps=1, used: configmaps=2, limited: configmaps=2',
        ),
      );
    });

    it('requests and limits are summed up over containers', async (target) => {
      const place = await Place.of(target);
      await place.quota('compute', {
        'requests.cpu': '1',
        'requests.memory': '1Gi',
        'limits.cpu': '2',
        'limits.memory': '2Gi',
      });
      const resources = {
        requests: { cpu: '200m', memory: '128Mi' },
        limits: { cpu: '500m', memory: '256Mi' },
      };
      const containers = [asking(resources), asking(resources, 'side')];
      await place.made('pods', pod('two', { containers }));
      expect(await place.used('compute')).toEqual({
        'requests.cpu': '400m',
        'requests.memory': '256Mi',
        'limits.cpu': '1',
        'limits.memory': '512Mi',
      });
      const large = { requests: { cpu: '700m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
      refused(
        target,
        await place.post('pods', withResources('large', large)),
        forbidden(
          'pods',
          'large',
          'exceeded quota: compute, requested: requests.cpu=700m,requests.memory=1Gi, used: requests.cpu=400m,requests.memory=256Mi, limited: requests.cpu=1,requests.memory=1Gi',
        ),
      );
    });

    it('the largest step of the start counts, when it is more than what runs after it', async (target) => {
      const place = await Place.of(target);
      await place.quota('cpu', { cpu: '10' });
      const requests = (cpu: string) => ({ requests: { cpu } });
      const sidecar = { ...asking(requests('100m'), 'sidecar'), restartPolicy: 'Always' };
      const initContainers = [sidecar, asking(requests('2'), 'step')];
      await place.made('pods', withResources('starter', requests('500m'), { initContainers }));
      expect(await place.used('cpu')).toEqual({ cpu: '2100m' });
    });

    it('a quota of CPU wants every container to say', async (target) => {
      const place = await Place.of(target);
      await place.quota('compute', { 'requests.cpu': '1', 'limits.cpu': '1', 'limits.memory': '1Gi' });
      const containers = [asking({ limits: { cpu: '100m' } }), asking({ requests: { cpu: '100m' } }, 'side')];
      refused(
        target,
        await place.post('pods', pod('silent', { containers })),
        forbidden(
          'pods',
          'silent',
          'failed quota: compute: must specify limits.cpu for: side; limits.memory for: app,side',
        ),
      );
    });

    it('a resource of a vendor is counted by its requests', async (target) => {
      const place = await Place.of(target);
      await place.quota('gpus', { 'requests.test.dev/gpu': '2' });
      const gpus = (count: string) => ({ limits: { 'test.dev/gpu': count } });
      await place.made('pods', withResources('one', gpus('1')));
      await place.made('pods', pod('none'));
      refused(
        target,
        await place.post('pods', withResources('two', gpus('2'))),
        forbidden(
          'pods',
          'two',
          'exceeded quota: gpus, requested: requests.test.dev/gpu=2, used: requests.test.dev/gpu=1, limited: requests.test.dev/gpu=2',
        ),
      );
    });

    it('every quota of a namespace has to have room', async (target) => {
      const place = await Place.of(target);
      await place.quota('wide', { pods: '10' });
      await place.quota('narrow', { pods: '1', configmaps: '5' });
      await place.made('pods', pod('a'));
      refused(
        target,
        await place.post('pods', pod('b')),
        forbidden('pods', 'b', 'exceeded quota: narrow, requested: pods=1, used: pods=1, limited: pods=1'),
      );
      expect([await place.used('wide'), (await place.used('narrow'))?.['pods']]).toEqual([
        { pods: '1' },
        '1',
      ]);
    });

    it('a quota that is made larger lets more in', async (target) => {
      const place = await Place.of(target);
      await place.quota('grows', { pods: '0' });
      expect((await place.post('pods', pod('a'))).code).toBe(403);
      await target.api.patch(place.at('resourcequotas/grows'), 'merge', { spec: { hard: { pods: '1' } } });
      await place.taken('pods', pod('a'));
    });

    it('best effort and the rest are counted apart', async (target) => {
      const place = await Place.of(target);
      await place.quota('best', { pods: '1' }, { scopes: ['BestEffort'] });
      await place.quota('rest', { pods: '1' }, { scopes: ['NotBestEffort'] });
      await place.made('pods', pod('poor'));
      await place.made('pods', withResources('rich', { requests: { cpu: '1' } }));
      expect([await place.used('best'), await place.used('rest')]).toEqual([{ pods: '1' }, { pods: '1' }]);
      refused(
        target,
        await place.post('pods', pod('poorer')),
        forbidden('pods', 'poorer', 'exceeded quota: best, requested: pods=1, used: pods=1, limited: pods=1'),
      );
    });

    it('pods with a deadline are counted apart from those without', async (target) => {
      const place = await Place.of(target);
      await place.quota('jobs', { pods: '5' }, { scopes: ['Terminating'] });
      await place.quota('servers', { pods: '5' }, { scopes: ['NotTerminating'] });
      await place.made('pods', pod('job', { activeDeadlineSeconds: 600 }));
      await place.made('pods', pod('server'));
      await place.made('pods', pod('other'));
      expect([await place.used('jobs'), await place.used('servers')]).toEqual([{ pods: '1' }, { pods: '2' }]);
      // Kubernetes' controller misses a change made before it has observed the charge. The deletion shows that it has.
      await target.api.delete(place.at('pods/other'));
      await place.uses('servers', { pods: '1' });
      await target.api.patch(place.at('pods/server'), 'merge', { spec: { activeDeadlineSeconds: 600 } });
      await place.uses('servers', { pods: '0' });
      await place.uses('jobs', { pods: '2' });
    });

    for (const [operator, values, isIn] of [
      ['In', ['system-cluster-critical'], true],
      ['In', ['system-node-critical'], false],
      ['NotIn', ['system-node-critical'], true],
      ['Exists', undefined, true],
      ['DoesNotExist', undefined, false],
    ] as const)
      it(`a priority class is chosen by ${operator} ${values ?? ''}`.trim(), async (target) => {
        const place = await Place.of(target);
        const scoped = { scopeName: 'PriorityClass', operator, ...(values && { values }) };
        await place.quota('q', { pods: '5' }, { scopeSelector: { matchExpressions: [scoped] } });
        await place.made('pods', pod('important', { priorityClassName: 'system-cluster-critical' }));
        expect(await place.used('q')).toEqual({ pods: isIn ? '1' : '0' });
        await place.made('pods', pod('ordinary'));
        const other = ['NotIn', 'DoesNotExist'].includes(operator) ? 1 : 0;
        expect(await place.used('q')).toEqual({ pods: String((isIn ? 1 : 0) + other) });
      });

    it('who looks into other namespaces is in a scope of its own', async (target) => {
      const place = await Place.of(target);
      await place.quota('q', { pods: '0' }, { scopes: ['CrossNamespacePodAffinity'] });
      const term = { labelSelector: {}, topologyKey: 'kubernetes.io/hostname', namespaceSelector: {} };
      const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
      await place.made('pods', pod('modest'));
      const curious = await place.post('pods', pod('curious', { affinity: { podAntiAffinity } }));
      expect(curious.code).toBe(403);
    });

    it('Services are counted by their type and their ports', async (target) => {
      const place = await Place.of(target);
      await place.quota('q', { services: '5', 'services.nodeports': '2', 'services.loadbalancers': '1' });
      const ports = (...numbers: number[]) => numbers.map((port) => ({ name: `p${port}`, port }));
      await place.made('services', service('plain', { ports: ports(80) }));
      await place.made('services', service('outside', { type: 'NodePort', ports: ports(80) }));
      expect(await place.used('q')).toEqual({
        services: '2',
        'services.nodeports': '1',
        'services.loadbalancers': '0',
      });
      refused(
        target,
        await place.post('services', service('large', { type: 'LoadBalancer', ports: ports(80, 81) })),
        forbidden(
          'services',
          'large',
          'exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=1, limited: services.nodeports=2',
        ),
      );
      const change = (type: string) =>
        target.api.patch(place.at('services/plain'), 'merge', { spec: { type } });
      expect((await change('LoadBalancer')).code).toBe(200);
      expect(await place.used('q')).toEqual({
        services: '2',
        'services.nodeports': '2',
        'services.loadbalancers': '1',
      });
      await change('ClusterIP');
      await place.uses('q', { 'services.nodeports': '1', 'services.loadbalancers': '0' });
      await target.api.delete(place.at('services/outside'));
      await place.uses('q', { services: '1', 'services.nodeports': '0' });
    });

    it('anything can be counted by its name and group', async (target) => {
      const place = await Place.of(target);
      const roles = 'count/roles.rbac.authorization.k8s.io';
      await place.quota('q', { [roles]: '1', secrets: '1', 'count/secrets': '2' });
      const group = 'rbac.authorization.k8s.io';
      const post = (name: string) =>
        target.api.post(`/apis/${group}/v1/namespaces/${place.namespace}/roles`, {
          apiVersion: `${group}/v1`,
          kind: 'Role',
          metadata: { name },
        });
      expect((await post('first')).code).toBe(201);
      refused(
        target,
        await post('second'),
        forbidden(
          'roles.rbac.authorization.k8s.io',
          'second',
          `exceeded quota: q, requested: ${roles}=1, used: ${roles}=1, limited: ${roles}=1`,
        ),
      );
      await place.made('secrets', secret('s'));
      expect(await place.used('q')).toEqual({ [roles]: '1', secrets: '1', 'count/secrets': '1' });
      await target.api.delete(`/apis/${group}/v1/namespaces/${place.namespace}/roles/first`);
      await place.uses('q', { [roles]: '0' });
      await target.api.delete(place.at('secrets/s'));
      await place.uses('q', { secrets: '0', 'count/secrets': '0' });
    });

    it('ReplicationControllers are counted by both of their names', async (target) => {
      const place = await Place.of(target);
      await place.quota('q', { replicationcontrollers: '1', 'count/replicationcontrollers': '5' });
      await place.made('replicationcontrollers', replicationController('first'));
      const used = { replicationcontrollers: '1', 'count/replicationcontrollers': '1' };
      expect(await place.used('q')).toEqual(used);
      refused(
        target,
        await place.post('replicationcontrollers', replicationController('second')),
        forbidden(
          'replicationcontrollers',
          'second',
          'exceeded quota: q, requested: replicationcontrollers=1, used: replicationcontrollers=1, limited: replicationcontrollers=1',
        ),
      );
      await target.api.delete(place.at('replicationcontrollers/first'));
      await place.uses('q', { replicationcontrollers: '0', 'count/replicationcontrollers': '0' });
    });

    it('quotas count themselves', async (target) => {
      const place = await Place.of(target);
      await place.counted('only', { resourcequotas: '1' });
      const answer = await waitFor('the quota is enforced', async () => {
        const found = await place.post('resourcequotas', resourceQuota('another', {}), { dryRun: 'All' });
        return found.code === 201 ? { seen: found.text } : { met: found };
      });
      refused(
        target,
        answer,
        forbidden(
          'resourcequotas',
          'another',
          'exceeded quota: only, requested: resourcequotas=1, used: resourcequotas=1, limited: resourcequotas=1',
        ),
      );
    });

    it('a resource without objects has a usage of zero, and an unknown resource has none', async (target) => {
      const place = await Place.of(target);
      const claims = 'gold.storageclass.storage.k8s.io/persistentvolumeclaims';
      await place.quota('q', { persistentvolumeclaims: '1', 'requests.storage': '1Gi', [claims]: '1' });
      expect(await place.used('q')).toEqual({
        persistentvolumeclaims: '0',
        'requests.storage': '0',
        [claims]: '0',
      });
      await place.made(
        'resourcequotas',
        resourceQuota('odd', { hard: { pods: '1', 'count/x.test.dev': '1' } }),
      );
      await place.uses('odd', { pods: '0' });
      expect(await place.used('odd')).toEqual({ pods: '0' });
    });

    it('a refused pod of a ReplicaSet goes by its whole name', async (target) => {
      const place = await Place.of(target);
      await place.quota('none', { pods: '0' });
      const { body } = await place.post('pods', pod({ generateName: 'web-' }));
      expect(body['message']).toMatch(
        /^pods "web-[a-z0-9]{5}" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0$/,
      );
    });
  },
  { atOnce: true },
);
