import { expect, test } from 'vitest';
import type { ApiObject } from '../object.ts';
import { builtInKinds } from './built-in-kinds.ts';

/** The expected objects are those of the real API server 1.36.3, without the metadata that it adds. */
const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
};
const selector = { matchLabels: { a: 'b' } };
const defaultedTemplate = {
  metadata: { labels: { a: 'b' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'nginx:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
};
const rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };
const webhook = {
  name: 'a.b.c',
  clientConfig: { service: { name: 'x', namespace: 'y' } },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [rule],
};

const cases: [kind: string, body: object, expected: object][] = [
  [
    'Deployment',
    { spec: { selector, template } },
    {
      spec: {
        replicas: 1,
        selector,
        template: defaultedTemplate,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
      status: {},
    },
  ],
  [
    'StatefulSet',
    {
      spec: {
        serviceName: 'x',
        selector,
        template,
        volumeClaimTemplates: [
          {
            metadata: { name: 'v' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
          },
        ],
      },
    },
    {
      spec: {
        replicas: 1,
        selector,
        template: defaultedTemplate,
        volumeClaimTemplates: [
          {
            kind: 'PersistentVolumeClaim',
            apiVersion: 'v1',
            metadata: { name: 'v' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              volumeMode: 'Filesystem',
            },
            status: { phase: 'Pending' },
          },
        ],
        serviceName: 'x',
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        revisionHistoryLimit: 10,
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      },
      status: { replicas: 0, availableReplicas: 0 },
    },
  ],
  [
    'DaemonSet',
    { spec: { selector, template } },
    {
      spec: {
        selector,
        template: defaultedTemplate,
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
      status: { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 },
    },
  ],
  ['Secret', { stringData: { a: 'b' } }, { data: { a: 'Yg==' }, type: 'Opaque' }],
  [
    'Event',
    { involvedObject: { namespace: 'default' } },
    {
      involvedObject: { namespace: 'default' },
      source: {},
      firstTimestamp: null,
      lastTimestamp: null,
      eventTime: null,
      reportingComponent: '',
      reportingInstance: '',
    },
  ],
  ['Role', {}, { rules: null }],
  [
    'RoleBinding',
    { roleRef: { kind: 'Role', name: 'x' }, subjects: [{ kind: 'User', name: 'x' }] },
    {
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'x' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'x' },
    },
  ],
  [
    'EndpointSlice',
    { addressType: 'IPv4', ports: [{ port: 1 }], endpoints: [{ addresses: ['10.0.0.1'] }] },
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.1'], conditions: {} }],
      ports: [{ name: '', protocol: 'TCP', port: 1 }],
    },
  ],
  [
    'MutatingWebhookConfiguration',
    { webhooks: [webhook] },
    {
      webhooks: [
        {
          ...webhook,
          clientConfig: { service: { name: 'x', namespace: 'y', port: 443 } },
          rules: [{ ...rule, scope: '*' }],
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          timeoutSeconds: 10,
          reinvocationPolicy: 'Never',
        },
      ],
    },
  ],
];

const kindNamed = (name: string) => {
  const found = builtInKinds.find(({ kind }) => kind === name);
  if (found === undefined) throw new Error(`kind ${name} does not exist`);
  return found;
};

test.each(cases)('a %s has the defaults of the real server', (name, body, expected) => {
  const {
    kind: _kind,
    apiVersion: _version,
    metadata: _metadata,
    ...rest
  } = kindNamed(name).codec.decode({ metadata: { name: 'x' }, ...body }, []);
  expect(rest).toEqual(expected);
});

test.each(cases)('a %s that was defaulted once is the same when it comes back', (name, body) => {
  const { codec } = kindNamed(name);
  const once = codec.decode({ metadata: { name: 'x' }, ...body }, []);
  const again: ApiObject = codec.decode(JSON.parse(JSON.stringify(once)), []);
  expect(again).toEqual(once);
});
