import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment, pod, podSpec, workload } from '../objects.ts';
import {
  badRequest,
  conflict,
  invalid,
  modified,
  noSuchResource,
  notFound,
  refused,
  refuses,
} from '../statuses.ts';

const scale = (name: string, replicas: number, more: object = {}) => ({
  apiVersion: 'autoscaling/v1',
  kind: 'Scale',
  metadata: { name, ...more },
  spec: { replicas },
});

/** Paused and without pods: after their first reconcile, the controllers of a complete cluster keep its status. */
const quiet = (name: string) => deployment(name, { paused: true });

contract('status and scale', (it) => {
  it('a status in a new object is dropped', async ({ api, apps }) => {
    const object = { ...quiet('early'), status: { replicas: 5 } };
    const { body } = await api.post(apps('deployments'), object, { query: { dryRun: 'All' } });
    expect(body['status']).toEqual({});
  });

  it('an update of the object leaves the status alone', async ({ api, core }) => {
    await api.post(core('pods'), pod('whole'));
    await api.patch(core('pods/whole/status'), 'merge', { status: { message: 'set' } });
    const { body } = await api.patch(core('pods/whole'), 'merge', {
      metadata: { labels: { a: 'b' } },
      status: { message: 'lost' },
    });
    expect(body['status']).toMatchObject({ message: 'set' });
  });

  it('an update of a pod’s status leaves the spec alone, and takes labels', async ({ api, core }) => {
    const { body: before } = await api.post(core('pods'), pod({ name: 'part', labels: { a: 'b' } }));
    const change = {
      metadata: { labels: { a: 'changed' } },
      spec: { hostname: 'changed' },
      status: { phase: 'Running' },
    };
    const { code, body } = await api.patch(core('pods/part/status'), 'merge', change);
    expect(code).toBe(200);
    expect(body['status']).toMatchObject({ phase: 'Running' });
    expect(body['spec']).toEqual(before['spec']);
    expect(body.metadata.labels).toEqual({ a: 'changed' });
    expect(body.metadata.generation).toBe(before.metadata.generation);
  });

  it('a status is read with its object', async ({ api, apps }) => {
    await api.post(apps('deployments'), quiet('read'));
    const { code, body } = await api.get(apps('deployments/read/status'));
    expect([code, body.kind, body.metadata.name]).toEqual([200, 'Deployment', 'read']);
  });

  it('a PUT of a status keeps what is not the status', async ({ api, apps }) => {
    await api.post(apps('replicasets'), workload('ReplicaSet', 'put', { replicas: 0 }));
    const object = {
      ...workload('ReplicaSet', 'put', { replicas: 9 }),
      status: { replicas: 0, observedGeneration: 1 },
    };
    const { code, body } = await api.put(apps('replicasets/put/status'), object);
    expect([code, (body['spec'] as { replicas: number }).replicas]).toEqual([200, 0]);
  });

  it('observedGeneration is whatever the controller writes', async ({ api, apps }) => {
    await api.post(
      apps('daemonsets'),
      workload('DaemonSet', 'observed', {
        template: {
          metadata: { labels: { app: 'app' } },
          spec: { nodeSelector: { no: 'where' }, containers: [{ name: 'a', image: 'b' }] },
        },
      }),
    );
    const status = {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
      observedGeneration: 77,
    };
    const { body } = await api.patch(apps('daemonsets/observed/status'), 'merge', { status });
    expect(body['status']).toMatchObject({ observedGeneration: 77 });
  });

  it('an invalid status is refused', async (target) => {
    const { api, apps } = target;
    await api.post(apps('replicasets'), workload('ReplicaSet', 'negative', { replicas: 0 }));
    const answer = await api.patch(apps('replicasets/negative/status'), 'merge', {
      status: { replicas: -1 },
    });
    refused(
      target,
      answer,
      invalid(
        'ReplicaSet.apps',
        'negative',
        'status.replicas: Invalid value: -1: must be greater than or equal to 0',
        'status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas',
      ),
    );
  });

  it('a Deployment cannot have more replicas of one sort than of all, nor forget its collisions', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), deployment('counted', { paused: true }));
    const report = (status: object) => api.patch(apps('deployments/counted/status'), 'merge', { status });
    refused(
      target,
      await report({ replicas: 1, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 3 }),
      invalid(
        'Deployment.apps',
        'counted',
        'status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas',
        'status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 3: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 3: cannot be greater than readyReplicas',
      ),
    );
    expect((await report({ collisionCount: 3 })).code).toBe(200);
    refused(
      target,
      await report({ collisionCount: 2 }),
      invalid('Deployment.apps', 'counted', 'status.collisionCount: Invalid value: 2: cannot be decremented'),
    );
  });

  it('a DaemonSet counts no fewer nodes than none', async (target) => {
    const { api, apps } = target;
    const spec = { ...podSpec(), nodeSelector: { nowhere: 'at-all' } };
    const labels = { app: 'app' };
    await api.post(
      apps('daemonsets'),
      workload('DaemonSet', 'less', { template: { metadata: { labels }, spec } }),
    );
    const fields = ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'];
    const status = Object.fromEntries(fields.map((each) => [each, -1]));
    refused(
      target,
      await api.patch(apps('daemonsets/less/status'), 'merge', { status }),
      invalid(
        'DaemonSet.apps',
        'less',
        ...fields.map((each) => `status.${each}: Invalid value: -1: must be greater than or equal to 0`),
      ),
    );
  });

  it('an update of a status with an older version is a conflict', async (target) => {
    const { api, core } = target;
    const { body } = await api.post(core('pods'), pod('raced'));
    await api.patch(core('pods/raced'), 'merge', { metadata: { labels: { a: 'b' } } });
    refused(
      target,
      await api.put(core('pods/raced/status'), { ...body, status: { phase: 'Running' } }),
      conflict('pods', 'raced', modified),
    );
  });

  it(
    'the status of what is not there is not found',
    refuses(
      ({ api, apps }) => api.patch(apps('deployments/nobody/status'), 'merge', { status: {} }),
      notFound('deployments.apps', 'nobody'),
    ),
  );

  it('a kind without a status has no such path', async (target) => {
    const { api, core } = target;
    await api.post(core('configmaps'), configMap('plain'));
    refused(target, await api.get(core('configmaps/plain/status')), noSuchResource);
  });

  for (const [kind, plural] of [
    ['Deployment', 'deployments'],
    ['ReplicaSet', 'replicasets'],
    ['StatefulSet', 'statefulsets'],
  ] as const)
    it(`a ${kind} has a scale`, async ({ api, apps, namespace }) => {
      await api.post(
        apps(plural),
        workload(kind, 'scaled', { replicas: 0, ...(kind === 'StatefulSet' ? { serviceName: 'x' } : {}) }),
      );
      const { code, body } = await api.get(apps(`${plural}/scaled/scale`));
      expect(code).toBe(200);
      expect(body).toEqual({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: {
          name: 'scaled',
          namespace,
          uid: expect.any(String),
          resourceVersion: expect.any(String),
          creationTimestamp: expect.any(String),
        },
        spec: {},
        status: { replicas: 0, selector: 'app=app' },
      });
    });

  it('a DaemonSet has no scale', async (target) => {
    refused(target, await target.api.get(target.apps('daemonsets/any/scale')), noSuchResource);
  });

  it('a PUT of the scale changes the replicas and the generation', async ({ api, apps }) => {
    await api.post(apps('deployments'), quiet('put-scale'));
    const { code, body } = await api.put(apps('deployments/put-scale/scale'), scale('put-scale', 3));
    expect([code, body.kind, body['spec']]).toEqual([200, 'Scale', { replicas: 3 }]);
    const { body: after } = await api.get(apps('deployments/put-scale'));
    expect([(after['spec'] as { replicas: number }).replicas, after.metadata.generation]).toEqual([3, 2]);
    await api.patch(apps('deployments/put-scale'), 'merge', { spec: { replicas: 0 } });
  });

  for (const type of ['merge', 'strategic'] as const)
    it(`a ${type} patch of the scale changes the replicas`, async ({ api, apps }) => {
      const name = `${type}-scale`;
      await api.post(apps('deployments'), quiet(name));
      const { code, body } = await api.patch(apps(`deployments/${name}/scale`), type, {
        spec: { replicas: 1 },
      });
      expect([code, body['spec']]).toEqual([200, { replicas: 1 }]);
    });

  it('a negative scale is refused', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), quiet('negative-scale'));
    refused(
      target,
      await api.put(apps('deployments/negative-scale/scale'), scale('negative-scale', -1)),
      invalid(
        'Scale.autoscaling',
        'negative-scale',
        'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      ),
    );
  });

  it('a scale with an older version is a conflict', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), quiet('raced-scale'));
    refused(
      target,
      await api.put(apps('deployments/raced-scale/scale'), scale('raced-scale', 1, { resourceVersion: '1' })),
      conflict('deployments.apps', 'raced-scale', modified),
    );
  });

  it('a scale of another name is refused', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), quiet('named-scale'));
    refused(
      target,
      await api.put(apps('deployments/named-scale/scale'), scale('other', 1)),
      badRequest('the name of the object (other) does not match the name on the URL (named-scale)'),
    );
  });

  it(
    'the scale of what is not there is not found',
    refuses(
      ({ api, apps }) => api.get(apps('deployments/nobody/scale')),
      notFound('deployments.apps', 'nobody'),
    ),
  );

  it('a Namespace is finalized through a path of its own', async ({ api, namespace }) => {
    const name = `${namespace}-final`;
    const path = `/api/v1/namespaces/${name}`;
    await api.post('/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['kubernetes', 'example.com/mine'] },
    });
    const { code, body } = await api.put(`${path}/finalize`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name },
      spec: { finalizers: ['kubernetes'] },
    });
    expect([code, body['spec']]).toEqual([200, { finalizers: ['kubernetes'] }]);
    await api.delete(path);
  });
});
