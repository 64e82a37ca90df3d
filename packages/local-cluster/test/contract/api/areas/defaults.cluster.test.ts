import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { made } from '../made.ts';
import { deployment, podSpec, replicationController, secret, service, workload } from '../objects.ts';

contract('defaults', (it) => {
  it('of a Deployment', async ({ api, apps }) => {
    const { replicas: _, ...least } = deployment('plain').spec as { replicas?: number };
    const object = { ...deployment('plain'), spec: least };
    const { spec, status } = await made(api.post(apps('deployments'), object, { query: { dryRun: 'All' } }));
    expect(spec).toEqual({
      replicas: 1,
      selector: { matchLabels: { app: 'app' } },
      template: {
        metadata: { labels: { app: 'app' } },
        spec: {
          containers: [
            {
              name: 'app',
              image: 'app:1',
              resources: {},
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              imagePullPolicy: 'IfNotPresent',
            },
          ],
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 30,
          dnsPolicy: 'ClusterFirst',
          automountServiceAccountToken: false,
          securityContext: {},
          schedulerName: 'nobody',
        },
      },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
    expect(status).toEqual({});
  });

  it('of a ReplicaSet', async ({ api, apps }) => {
    const object = workload('ReplicaSet', 'plain', {});
    const { spec, status } = await made(api.post(apps('replicasets'), object, { query: { dryRun: 'All' } }));
    const { template: _, ...rest } = spec as { template: unknown };
    expect([rest, status]).toEqual([
      { replicas: 1, selector: { matchLabels: { app: 'app' } } },
      { replicas: 0 },
    ]);
  });

  it('of a ReplicationController', async ({ api, core }) => {
    const object = replicationController('plain', { replicas: null });
    const answer = api.post(core('replicationcontrollers'), object, { query: { dryRun: 'All' } });
    const { metadata, spec, status } = await made(answer);
    const { template: _, ...rest } = spec as { template: unknown };
    expect([metadata.labels, rest, status]).toEqual([
      { app: 'app' },
      { replicas: 1, selector: { app: 'app' } },
      { replicas: 0 },
    ]);
  });

  it('of a ReplicationController that has labels and a selector', async ({ api, core }) => {
    const template = { metadata: { labels: { app: 'app', tier: 'front' } }, spec: podSpec() };
    const object = replicationController(
      { name: 'labelled', labels: { own: 'yes' } },
      { selector: { app: 'app' }, template },
    );
    const answer = api.post(core('replicationcontrollers'), object, { query: { dryRun: 'All' } });
    const { metadata, spec } = await made(answer);
    expect([metadata.labels, spec]).toMatchObject([{ own: 'yes' }, { selector: { app: 'app' } }]);
  });

  it('of a StatefulSet', async ({ api, apps }) => {
    const object = workload('StatefulSet', 'plain', { serviceName: 'plain' });
    const { spec, status } = await made(api.post(apps('statefulsets'), object, { query: { dryRun: 'All' } }));
    const { template: _, ...rest } = spec as { template: unknown };
    expect([rest, status]).toEqual([
      {
        replicas: 1,
        selector: { matchLabels: { app: 'app' } },
        serviceName: 'plain',
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
      { replicas: 0, availableReplicas: 0 },
    ]);
  });

  it('of a DaemonSet', async ({ api, apps }) => {
    const object = workload('DaemonSet', 'plain', {});
    const { spec, status } = await made(api.post(apps('daemonsets'), object, { query: { dryRun: 'All' } }));
    const { template: _, ...rest } = spec as { template: unknown };
    expect([rest, status]).toEqual([
      {
        selector: { matchLabels: { app: 'app' } },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    ]);
  });

  it('of a Service that is headless', async ({ api, core }) => {
    const object = service('headless', {
      clusterIP: 'None',
      ports: [{ port: 80 }],
      selector: { app: 'app' },
    });
    const { spec, status } = await made(api.post(core('services'), object));
    expect([spec, status]).toEqual([
      {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        selector: { app: 'app' },
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        internalTrafficPolicy: 'Cluster',
      },
      { loadBalancer: {} },
    ]);
  });

  it('of a Service that has an address', async ({ api, core }) => {
    const object = service('addressed', { ports: [{ name: 'web', port: 80, targetPort: 'http' }] });
    const { spec } = await made(api.post(core('services'), object));
    const text = JSON.stringify(spec).replaceAll(/"10\.\d+\.\d+\.\d+"/g, '"ADDRESS"');
    expect(JSON.parse(text)).toEqual({
      ports: [{ name: 'web', protocol: 'TCP', port: 80, targetPort: 'http' }],
      clusterIP: 'ADDRESS',
      clusterIPs: ['ADDRESS'],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    });
  });

  it('of a Secret', async ({ api, core }) => {
    const { data, type } = await made(api.post(core('secrets'), secret('plain', { stringData: { a: 'ä' } })));
    expect([data, type]).toEqual([{ a: Buffer.from('ä').toString('base64') }, 'Opaque']);
  });

  it('stringData wins over data, and is never shown', async ({ api, core }) => {
    const object = secret('both', { data: { a: 'eA==', b: 'eQ==' }, stringData: { a: 'new' } });
    const body = await made(api.post(core('secrets'), object));
    expect(body['data']).toEqual({ a: Buffer.from('new').toString('base64'), b: 'eQ==' });
    expect(body).not.toHaveProperty('stringData');
  });

  it('of a ServiceAccount: nothing', async ({ api, core }) => {
    const body = await made(
      api.post(core('serviceaccounts'), {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'plain' },
      }),
    );
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  it('of an Event', async ({ api, core, namespace }) => {
    const involvedObject = { kind: 'ConfigMap', name: 'a', namespace };
    const { metadata: _, ...body } = await made(
      api.post(core('events'), {
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'plain' },
        involvedObject,
      }),
    );
    expect(JSON.parse(JSON.stringify(body).replaceAll(namespace, 'NAMESPACE'))).toEqual({
      kind: 'Event',
      apiVersion: 'v1',
      involvedObject: { kind: 'ConfigMap', namespace: 'NAMESPACE', name: 'a' },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    });
  });

  it('of a Role binding', async ({ api, group }) => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const object = {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name: 'plain' },
      roleRef: { kind: 'Role', name: 'x' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'Group', name: 'g' },
      ],
    };
    const { roleRef, subjects } = await made(api.post(group(rbac, 'rolebindings'), object));
    expect([roleRef, subjects]).toEqual([
      { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
      [
        { kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'u' },
        { kind: 'ServiceAccount', name: 's' },
        { kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'g' },
      ],
    ]);
  });

  it('of a Lease: nothing', async ({ api, group }) => {
    const leases = group('coordination.k8s.io/v1', 'leases');
    const { spec } = await made(
      api.post(leases, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'plain' },
        spec: { holderIdentity: 'me', renewTime: '2026-01-02T03:04:05.678901Z' },
      }),
    );
    expect(spec).toEqual({ holderIdentity: 'me', renewTime: '2026-01-02T03:04:05.678901Z' });
  });

  it('of a ControllerRevision: its data is kept as it is', async ({ api, apps }) => {
    const object = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'plain' },
      revision: 3,
      data: { any: [{ thing: 1.5 }] },
    };
    const { data, revision } = await made(api.post(apps('controllerrevisions'), object));
    expect([data, revision]).toEqual([{ any: [{ thing: 1.5 }] }, 3]);
  });

  it('of a Node: it is not ready before it has said so', async ({ api, namespace }) => {
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: `${namespace}-node` } };
    // Dry run, as every DaemonSet would create a pod on a stored Node.
    const { spec } = await made(api.post('/api/v1/nodes', node, { query: { dryRun: 'All' } }));
    expect(spec).toEqual({ taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
  });
});
