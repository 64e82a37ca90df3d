import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { forbidden, invalid, type Refusal, refuses } from '../statuses.ts';
import { dnsLabel } from '../texts.ts';

const container = (more: object = {}) => ({ name: 'app', image: 'app', ...more });

const badPods: [why: string, spec: object, expected: Refusal][] = [
  ['no containers', { containers: [] }, invalid('Pod', 'bad', 'spec.containers: Required value')],
  [
    'a container without a name',
    { containers: [{ image: 'app' }] },
    invalid('Pod', 'bad', 'spec.containers[0].name: Required value'),
  ],
  [
    'a container without an image',
    { containers: [{ name: 'app' }] },
    invalid('Pod', 'bad', 'spec.containers[0].image: Required value'),
  ],
  [
    'two containers of one name',
    { containers: [container(), container()] },
    invalid('Pod', 'bad', 'spec.containers[1].name: Duplicate value: "app"'),
  ],
  [
    'a container’s name that is no label',
    { containers: [container({ name: 'App_1' })] },
    invalid('Pod', 'bad', `spec.containers[0].name: Invalid value: "App_1": ${dnsLabel}`),
  ],
  ...badReferences(),
  [
    'a port out of range',
    { containers: [container({ ports: [{ containerPort: 70000 }] })] },
    invalid(
      'Pod',
      'bad',
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ),
  ],
  [
    'a protocol that is none',
    { containers: [container({ ports: [{ containerPort: 80, protocol: 'HTTP' }] })] },
    invalid(
      'Pod',
      'bad',
      'spec.containers[0].ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"',
    ),
  ],
  [
    'a variable’s name with an equals sign',
    { containers: [container({ env: [{ name: 'a=b' }] })] },
    invalid(
      'Pod',
      'bad',
      `spec.containers[0].env[0].name: Invalid value: "a=b": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ),
  ],
  [
    'a variable with a value and a source',
    {
      containers: [
        container({
          env: [{ name: 'A', value: '1', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        }),
      ],
    },
    invalid(
      'Pod',
      'bad',
      'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
    ),
  ],
  [
    'a mount of a volume that is not there',
    { containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] })] },
    invalid('Pod', 'bad', 'spec.containers[0].volumeMounts[0].name: Not found: "v"'),
  ],
  [
    'a volume with two sources',
    { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] },
    invalid('Pod', 'bad', 'spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type'),
  ],
  [
    'two volumes of one name',
    {
      volumes: [
        { name: 'v', emptyDir: {} },
        { name: 'v', emptyDir: {} },
      ],
    },
    invalid('Pod', 'bad', 'spec.volumes[1].name: Duplicate value: "v"'),
  ],
  [
    'a restart policy that is none',
    { restartPolicy: 'Sometimes' },
    invalid(
      'Pod',
      'bad',
      'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
    ),
  ],
  [
    'a pull policy that is none',
    { containers: [container({ imagePullPolicy: 'Maybe' })] },
    invalid(
      'Pod',
      'bad',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
    ),
  ],
  [
    'requests above their limits',
    { containers: [container({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } })] },
    invalid(
      'Pod',
      'bad',
      'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
    ),
  ],
  [
    'a probe that does nothing',
    { containers: [container({ livenessProbe: {} })] },
    invalid('Pod', 'bad', 'spec.containers[0].livenessProbe: Required value: must specify a handler type'),
  ],
  [
    'a toleration with an operator that is none',
    { tolerations: [{ key: 'a', operator: 'Like' }] },
    invalid(
      'Pod',
      'bad',
      'spec.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
    ),
  ],
  [
    'a service account that is not there',
    { serviceAccountName: 'nobody' },
    forbidden(
      'pods',
      'bad',
      'error looking up service account NAMESPACE/nobody: serviceaccount "nobody" not found',
    ),
  ],
  [
    'a key path that leaves its volume',
    { volumes: [{ name: 'v', configMap: { name: 'c', items: [{ key: 'k', path: '../k' }] } }] },
    invalid(
      'Pod',
      'bad',
      `spec.volumes[0].configMap.items[0].path: Invalid value: "../k": must not contain '..'`,
    ),
  ],
];

contract('rules of pods', (it) => {
  for (const [why, spec, expected] of badPods)
    it(
      `a pod with ${why} is refused`,
      refuses(({ api, core }) => api.post(core('pods'), pod('bad', spec)), expected),
    );

  it('of a pod, only image, deadline, tolerations and grace can be changed', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('fixed'));
    const answer = await api.patch(core('pods/fixed'), 'strategic', { spec: { hostname: 'other' } });
    expect(answer.code).toBe(422);
    expect(answer.text).toContain(
      'Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
    );
  });

  it('a negative grace period is one second', async ({ api, core }) => {
    const { body } = await api.post(core('pods'), pod('hasty', { terminationGracePeriodSeconds: -1 }));
    expect(body['spec']).toMatchObject({ terminationGracePeriodSeconds: 1 });
  });

  it('the image of a pod can be changed', async ({ api, core }) => {
    await api.post(core('pods'), pod('image'));
    const { code } = await api.patch(core('pods/image'), 'strategic', {
      spec: { containers: [{ name: 'app', image: 'app:2' }] },
    });
    expect(code).toBe(200);
  });

  it('a variable that is set twice is taken with a warning', async ({ api, core }) => {
    const object = pod('warned', {
      containers: [
        container({
          env: [
            { name: 'A', value: '1' },
            { name: 'A', value: '2' },
          ],
        }),
      ],
    });
    const { code, headers } = await api.post(core('pods'), object, { query: { dryRun: 'All' } });
    expect([code, headers['warning']]).toEqual([
      201,
      '299 - "spec.containers[0].env[1]: hides previous definition of \\"A\\", which may be dropped when using apply"',
    ]);
  });
});

/** Variables and files with references that are not supported there. */
function badReferences(): [why: string, spec: object, expected: Refusal][] {
  const sizes = '1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei';
  const values = (...list: string[]) => list.map((each) => `"${each}"`).join(', ');
  const variable = (valueFrom: object) => ({ containers: [container({ env: [{ name: 'X', valueFrom }] })] });
  const file = (source: object) => ({
    containers: [container()],
    volumes: [{ name: 'v', downwardAPI: { items: [{ path: 'x', ...source }] } }],
  });
  const inVariable = (text: string) => invalid('Pod', 'bad', `spec.containers[0].env[0].valueFrom.${text}`);
  const inFile = (text: string) => invalid('Pod', 'bad', `spec.volumes[0].downwardAPI.${text}`);
  return [
    [
      'a variable of all labels',
      variable({ fieldRef: { fieldPath: 'metadata.labels' } }),
      inVariable(
        `fieldRef.fieldPath: Unsupported value: "metadata.labels": supported values: ${values(
          ...[
            'metadata.name',
            'metadata.namespace',
            'metadata.uid',
            'spec.nodeName',
            'spec.serviceAccountName',
          ],
          ...['status.hostIP', 'status.hostIPs', 'status.podIP', 'status.podIPs'],
        )}`,
      ),
    ],
    [
      'a variable of a field that is none',
      variable({ fieldRef: { fieldPath: 'spec.replicas' } }),
      inVariable(
        'fieldRef.fieldPath: Invalid value: "spec.replicas": error converting fieldPath: field label not supported: spec.replicas',
      ),
    ],
    [
      'a variable of one key of a field that has no keys',
      variable({ fieldRef: { fieldPath: "metadata.name['x']" } }),
      inVariable(
        `fieldRef.fieldPath: Invalid value: "metadata.name['x']": error converting fieldPath: field label does not support subscript: metadata.name['x']`,
      ),
    ],
    [
      'a variable of a resource that is none',
      variable({ resourceFieldRef: { resource: 'limits.gpu' } }),
      inVariable(
        `resourceFieldRef.resource: Unsupported value: "limits.gpu": supported values: ${values(
          ...['limits.cpu', 'limits.ephemeral-storage', 'limits.memory'],
          ...['requests.cpu', 'requests.ephemeral-storage', 'requests.memory'],
        )}`,
      ),
    ],
    [
      'a variable in units that are none',
      variable({ resourceFieldRef: { resource: 'limits.memory', divisor: '3Mi' } }),
      inVariable(
        `resourceFieldRef.divisor: Invalid value: "limits.memory": only divisor's values ${sizes} are supported with the memory resource`,
      ),
    ],
    [
      'a variable of cores in units that are none',
      variable({ resourceFieldRef: { resource: 'limits.cpu', divisor: '10m' } }),
      inVariable(
        `resourceFieldRef.divisor: Invalid value: "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource`,
      ),
    ],
    [
      'a file of a field that only variables show',
      file({ fieldRef: { fieldPath: 'spec.nodeName' } }),
      inFile(
        `fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: ${values(
          ...[
            'metadata.annotations',
            'metadata.labels',
            'metadata.name',
            'metadata.namespace',
            'metadata.uid',
          ],
        )}`,
      ),
    ],
    [
      'a file of a resource of no container',
      file({ resourceFieldRef: { resource: 'limits.cpu' } }),
      inFile('resourceFieldRef.containerName: Required value'),
    ],
  ];
}
