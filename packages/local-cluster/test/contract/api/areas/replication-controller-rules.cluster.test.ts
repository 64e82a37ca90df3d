import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { podSpec, replicationController } from '../objects.ts';
import { invalid, notFound, refused, refuses } from '../statuses.ts';
import { labelValue } from '../texts.ts';

const labels = { app: 'app' };

const refusals: [why: string, spec: object, ...causes: string[]][] = [
  [
    'neither selector nor template',
    { template: null },
    'spec.selector: Required value',
    'spec.template: Required value',
  ],
  ['a template without labels', { template: { spec: podSpec() } }, 'spec.selector: Required value'],
  [
    'negative numbers and no template',
    { selector: labels, replicas: -1, minReadySeconds: -2, template: null },
    'spec.minReadySeconds: Invalid value: -2: must be greater than or equal to 0',
    'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    'spec.template: Required value',
  ],
  [
    'a selector that does not match its template',
    { selector: { app: 'other' } },
    'spec.template.metadata.labels: Invalid value: {"app":"app"}: `selector` does not match template `labels`',
  ],
  [
    'a selector, a template without labels and a restart policy other than Always',
    { selector: labels, template: { spec: { ...podSpec(), restartPolicy: 'Never' } } },
    'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
  ],
  [
    'a deadline for its pods',
    { template: { metadata: { labels }, spec: { ...podSpec(), activeDeadlineSeconds: 5 } } },
    'spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported',
  ],
  [
    'an invalid label in its template',
    { template: { metadata: { labels: { app: 'a b' } }, spec: podSpec() } },
    `metadata.labels: Invalid value: "a b": ${labelValue}`,
    `spec.template.labels: Invalid value: "a b": ${labelValue}`,
  ],
];

const path = (name: string) => `replicationcontrollers/${name}`;

contract('rules of ReplicationControllers', (it) => {
  for (const [why, spec, ...causes] of refusals)
    it(
      `a ReplicationController with ${why} is refused`,
      refuses(
        ({ api, core }) => api.post(core('replicationcontrollers'), replicationController('bad', spec)),
        invalid('ReplicationController', 'bad', ...causes),
      ),
    );

  it('the selector can be changed together with the template', async ({ api, core }) => {
    await api.post(core('replicationcontrollers'), replicationController('selected'));
    const other = { app: 'other' };
    const spec = { selector: other, template: { metadata: { labels: other } } };
    const { code, body } = await api.patch(core(path('selected')), 'merge', { spec });
    expect([code, body.metadata.labels, body.metadata.generation]).toEqual([200, labels, 2]);
    expect(body['spec']).toMatchObject({ selector: other });
  });

  it('a status with more replicas of one sort than of all is refused', async (target) => {
    const { api, core } = target;
    await api.post(core('replicationcontrollers'), replicationController('counted'));
    const status = { replicas: 1, readyReplicas: 5, availableReplicas: 7, fullyLabeledReplicas: -1 };
    refused(
      target,
      await api.patch(core(`${path('counted')}/status`), 'merge', { status }),
      invalid(
        'ReplicationController',
        'counted',
        'status.fullyLabeledReplicas: Invalid value: -1: must be greater than or equal to 0',
        'status.readyReplicas: Invalid value: 5: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 7: cannot be greater than status.replicas',
        'status.availableReplicas: Invalid value: 7: cannot be greater than readyReplicas',
      ),
    );
  });

  it('a ReplicationController has a scale with its selector as text', async ({ api, core, namespace }) => {
    const selector = { tier: 'front', app: 'app' };
    const template = { metadata: { labels: selector }, spec: podSpec() };
    await api.post(core('replicationcontrollers'), replicationController('scaled', { template }));
    const { code, body } = await api.get(core(`${path('scaled')}/scale`));
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
      status: { replicas: 0, selector: 'app=app,tier=front' },
    });
  });

  it('a PUT of the scale changes the replicas and the generation', async ({ api, core }) => {
    // The controller cannot create the pods: their service account does not exist.
    const spec = { ...podSpec(), serviceAccountName: 'absent' };
    const object = replicationController('put', { template: { metadata: { labels }, spec } });
    await api.post(core('replicationcontrollers'), object);
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'put' },
      spec: { replicas: 3 },
    };
    const { code, body } = await api.put(core(`${path('put')}/scale`), scale);
    expect([code, body.kind, body['spec']]).toEqual([200, 'Scale', { replicas: 3 }]);
    const { body: after } = await api.get(core(path('put')));
    expect([(after['spec'] as { replicas: number }).replicas, after.metadata.generation]).toEqual([3, 2]);
  });

  it(
    'the scale of a ReplicationController that does not exist is not found',
    refuses(
      ({ api, core }) => api.get(core(`${path('absent')}/scale`)),
      notFound('replicationcontrollers', 'absent'),
    ),
  );

  const policies: [policy: string | undefined, finalizers: string[]][] = [
    [undefined, ['example.com/wait', 'orphan']],
    ['Orphan', ['example.com/wait', 'orphan']],
    ['Foreground', ['example.com/wait', 'foregroundDeletion']],
    ['Background', ['example.com/wait']],
  ];
  for (const [policy, finalizers] of policies)
    it(`a deletion with the policy ${policy ?? 'of the kind'} has its finalizers`, async ({ api, core }) => {
      const name = `deleted-${policy?.toLowerCase() ?? 'plainly'}`;
      const meta = { name, finalizers: ['example.com/wait'] };
      await api.post(core('replicationcontrollers'), replicationController(meta));
      const query = policy === undefined ? {} : { propagationPolicy: policy };
      const { code, body } = await api.delete(core(path(name)), undefined, { query });
      expect([code, body.metadata.finalizers]).toEqual([200, finalizers]);
      await api.patch(core(path(name)), 'merge', { metadata: { finalizers: null } });
    });

  it('a name that is not a DNS label and an unusual template are accepted with warnings', async ({
    api,
    core,
  }) => {
    const spec = { ...podSpec(), terminationGracePeriodSeconds: -3 };
    const object = replicationController('dotted.name', { template: { metadata: { labels }, spec } });
    const { code, headers } = await api.post(core('replicationcontrollers'), object);
    const name =
      '299 - "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"';
    const grace =
      '299 - "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"';
    expect([code, headers['warning']]).toEqual([201, `${name}, ${grace}`]);
    const template = { spec: { terminationGracePeriodSeconds: 5 } };
    const changed = await api.patch(core(path('dotted.name')), 'merge', { spec: { template } });
    expect([changed.code, changed.headers['warning']]).toEqual([200, grace]);
    const again = await api.patch(core(path('dotted.name')), 'merge', { spec: { minReadySeconds: 1 } });
    expect([again.code, again.headers['warning']]).toEqual([200, undefined]);
  });

  for (const [kind, plural] of [
    ['Deployment', 'deployments'],
    ['ReplicaSet', 'replicasets'],
  ] as const)
    it(`a ${kind} whose name is not a DNS label is accepted with a warning, too`, async ({ api, apps }) => {
      const object = {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: 'dotted.name' },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: podSpec() },
        },
      };
      const { code, headers } = await api.post(apps(plural), object, { query: { dryRun: 'All' } });
      expect([code, headers['warning']]).toEqual([
        201,
        '299 - "metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [must not contain dots]"',
      ]);
    });
});
