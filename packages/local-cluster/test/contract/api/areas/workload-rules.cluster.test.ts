import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { deployment, podSpec, podTemplate, service, workload } from '../objects.ts';
import { invalid, type Refusal, refused, refuses } from '../statuses.ts';
import { labelValue, qualifiedName } from '../texts.ts';

const badTemplateMeta = { labels: { app: 'app', bad: 'y z' }, annotations: { 'b c': 'd' } };
const badTemplateErrors = [
  `labels: Invalid value: "y z": ${labelValue}`,
  `annotations: Invalid value: "b c": ${qualifiedName}`,
];

const badDeployments: [why: string, spec: object, expected: Refusal][] = [
  [
    'no selector',
    { selector: null },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"app"}: `selector` does not match template `labels`',
    ),
  ],
  [
    'a selector that does not match its template',
    { selector: { matchLabels: { app: 'other' } } },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.template.metadata.labels: Invalid value: {"app":"app"}: `selector` does not match template `labels`',
    ),
  ],
  [
    'an empty selector',
    { selector: {} },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.selector: Invalid value: {}: empty selector is invalid for deployment',
    ),
  ],
  [
    'negative replicas',
    { replicas: -1 },
    invalid('Deployment.apps', 'bad', 'spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
  ],
  [
    'no template',
    { template: null },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
      'spec.template.spec.containers: Required value',
    ),
  ],
  [
    'a strategy that is none',
    { strategy: { type: 'Bold' } },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.strategy: Unsupported value: {"Type":"Bold","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ),
  ],
  [
    'a strategy that can never move',
    { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ),
  ],
  [
    'a share above 100 %',
    { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ),
  ],
  [
    'rolling parameters of a Recreate',
    { strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } } },
    invalid(
      'Deployment.apps',
      'bad',
      "spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
    ),
  ],
  [
    'a deadline below minReadySeconds',
    { minReadySeconds: 10, progressDeadlineSeconds: 5 },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds',
    ),
  ],
  [
    'a restart policy other than Always',
    { template: { metadata: { labels: { app: 'app' } }, spec: { ...podSpec(), restartPolicy: 'Never' } } },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ),
  ],
  [
    'a bad label and a bad annotation in its template',
    { template: { metadata: badTemplateMeta, spec: podSpec() } },
    invalid('Deployment.apps', 'bad', ...badTemplateErrors.map((each) => `spec.template.${each}`)),
  ],
  [
    'a negative history',
    { revisionHistoryLimit: -1 },
    invalid(
      'Deployment.apps',
      'bad',
      'spec.revisionHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ),
  ],
];

contract('rules of pods and workloads', (it) => {
  for (const [why, spec, expected] of badDeployments)
    it(
      `a Deployment with ${why} is refused`,
      refuses(({ api, apps }) => api.post(apps('deployments'), deployment('bad', spec)), expected),
    );

  it('a PodTemplate gets what is left out of it, and counts changes of its template', async (target) => {
    const { api, core } = target;
    const made = await api.post(core('podtemplates'), podTemplate('counted'));
    expect(made.body).toMatchObject({
      metadata: { generation: 1 },
      template: { spec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst' } },
    });
    const changes = [
      { metadata: { labels: { a: 'b' } } },
      { template: { spec: { restartPolicy: 'Never' } } },
    ];
    const generations = [];
    for (const change of changes) {
      const { body } = await api.patch(core('podtemplates/counted'), 'strategic', change);
      generations.push(body.metadata.generation);
    }
    expect(generations).toEqual([1, 2]);
    const gone = await api.delete(core('podtemplates/counted'));
    expect(gone.body).toMatchObject({ kind: 'PodTemplate', metadata: { name: 'counted' } });
  });

  it(
    'a PodTemplate with a bad label and a bad annotation is refused',
    refuses(
      ({ api, core }) => api.post(core('podtemplates'), podTemplate('bad', badTemplateMeta)),
      invalid('PodTemplate', 'bad', ...badTemplateErrors.map((each) => `template.${each}`)),
    ),
  );

  it('a Deployment’s selector cannot be changed', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), deployment('selected'));
    const labels = { app: 'app', more: 'yes' };
    const change = { spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } } };
    refused(
      target,
      await api.patch(apps('deployments/selected'), 'merge', change),
      invalid(
        'Deployment.apps',
        'selected',
        'spec.selector: Invalid value: {"matchLabels":{"app":"app","more":"yes"}}: field is immutable',
      ),
    );
  });

  it('of a StatefulSet, only some fields can be changed', async (target) => {
    const { api, apps } = target;
    await api.post(apps('statefulsets'), workload('StatefulSet', 'fixed', { replicas: 0, serviceName: 'a' }));
    refused(
      target,
      await api.patch(apps('statefulsets/fixed'), 'merge', { spec: { serviceName: 'b' } }),
      invalid(
        'StatefulSet.apps',
        'fixed',
        "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    );
  });

  it(
    'a Service without ports that is not headless is refused',
    refuses(
      ({ api, core }) => api.post(core('services'), service('bad', {})),
      invalid('Service', 'bad', 'spec.ports: Required value'),
    ),
  );

  it(
    'a Service of a type that is none is refused',
    refuses(
      ({ api, core }) => api.post(core('services'), service('bad', { type: 'Magic', ports: [{ port: 80 }] })),
      invalid(
        'Service',
        'bad',
        'spec.type: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ),
    ),
  );

  it(
    'a Service with unnamed ports among several is refused',
    refuses(
      ({ api, core }) => api.post(core('services'), service('bad', { ports: [{ port: 80 }, { port: 81 }] })),
      invalid('Service', 'bad', 'spec.ports[0].name: Required value', 'spec.ports[1].name: Required value'),
    ),
  );

  it('a Lease’s duration must be positive', async (target) => {
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'bad' },
      spec: { leaseDurationSeconds: 0 },
    };
    refused(
      target,
      await target.api.post(target.group('coordination.k8s.io/v1', 'leases'), lease),
      invalid(
        'Lease.coordination.k8s.io',
        'bad',
        'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      ),
    );
  });

  it('a ControllerRevision’s data cannot be changed', async (target) => {
    const { api, apps } = target;
    const object = {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'fixed' },
      revision: 1,
      data: { a: 1 },
    };
    await api.post(apps('controllerrevisions'), object);
    refused(
      target,
      await api.patch(apps('controllerrevisions/fixed'), 'merge', { data: { a: 2 } }),
      invalid('ControllerRevision.apps', 'fixed', 'data: Invalid value: {"a":2}: field is immutable'),
    );
  });

  it('an Event about another namespace is refused', async (target) => {
    const event = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'bad' },
      involvedObject: { kind: 'ConfigMap', name: 'a', namespace: 'default' },
    };
    refused(
      target,
      await target.api.post(target.core('events'), event),
      invalid(
        'Event',
        'bad',
        'involvedObject.namespace: Invalid value: "default": does not match event.namespace',
      ),
    );
  });

  it('a role that a binding names cannot be changed', async (target) => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const { api, group } = target;
    const object = {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata: { name: 'fixed' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    };
    await api.post(group(rbac, 'rolebindings'), object);
    refused(
      target,
      await api.patch(group(rbac, 'rolebindings/fixed'), 'merge', { roleRef: { name: 'b' } }),
      invalid(
        'RoleBinding.rbac.authorization.k8s.io',
        'fixed',
        'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef',
      ),
    );
  });

  it('what is odd in a template is taken with a warning, and warned of again only when the spec changes', async ({
    api,
    apps,
  }) => {
    const labels = { app: 'app' };
    const env = [{ name: 'A' }, { name: 'A' }];
    const spec = {
      ...podSpec(),
      containers: [{ name: 'app', image: 'app:1', env }],
      terminationGracePeriodSeconds: -3,
    };
    const object = deployment('odd', { template: { metadata: { labels }, spec } });
    const warning = [
      '299 - "spec.template.spec.containers[0].env[1]: hides previous definition of \\"A\\", which may be dropped when using apply"',
      '299 - "spec.template.spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1"',
    ].join(', ');
    const created = await api.post(apps('deployments'), object);
    expect([created.code, created.headers['warning']]).toEqual([201, warning]);
    const labelled = await api.patch(apps('deployments/odd'), 'merge', { metadata: { labels } });
    expect([labelled.code, labelled.headers['warning']]).toEqual([200, undefined]);
    const changed = await api.patch(apps('deployments/odd'), 'merge', { spec: { minReadySeconds: 1 } });
    expect([changed.code, changed.headers['warning']]).toEqual([200, warning]);
  });

  it('a role without verbs is refused', async (target) => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    const object = {
      apiVersion: rbac,
      kind: 'Role',
      metadata: { name: 'bad' },
      rules: [{ apiGroups: [''], resources: ['pods'] }],
    };
    refused(
      target,
      await target.api.post(target.group(rbac, 'roles'), object),
      invalid(
        'Role.rbac.authorization.k8s.io',
        'bad',
        'rules[0].verbs: Required value: verbs must contain at least one value',
      ),
    );
  });
});
