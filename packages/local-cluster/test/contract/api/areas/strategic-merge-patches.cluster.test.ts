import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import { configMap, deployment, podSpec, service } from '../objects.ts';
import { badRequest, invalid, type Refusal, refused } from '../statuses.ts';
import type { Target } from '../target.ts';

let count = 0;

const containers = [
  {
    name: 'app',
    image: 'app:1',
    env: [
      { name: 'A', value: '1' },
      { name: 'B', value: '2' },
    ],
    ports: [
      { containerPort: 80, protocol: 'TCP' },
      { containerPort: 81, protocol: 'TCP' },
    ],
    volumeMounts: [{ name: 'one', mountPath: '/one' }],
    args: ['x', 'y'],
  },
  { name: 'side', image: 'side:1' },
];

const template = {
  metadata: { labels: { app: 'app' } },
  spec: {
    ...podSpec(),
    containers,
    volumes: [
      { name: 'one', configMap: { name: 'one' } },
      { name: 'two', emptyDir: {} },
    ],
    tolerations: [{ key: 'a', operator: 'Exists' }],
    imagePullSecrets: [{ name: 'pull' }],
    hostAliases: [{ ip: '10.0.0.1', hostnames: ['a'] }],
  },
};

/** Patches the spec of the pod template of a new Deployment; returns the response. */
async function patched({ api, apps }: Target, spec: object): Promise<Answer> {
  const name = `patched-${count++}`;
  await api.post(apps('deployments'), deployment(name, { template }));
  return api.patch(apps(`deployments/${name}`), 'strategic', { spec: { template: { spec } } });
}

interface PodSpec {
  containers: {
    name: string;
    image: string;
    env?: object[];
    ports?: object[];
    args?: string[];
    volumeMounts?: object[];
  }[];
  volumes: object[];
  tolerations: object[];
  imagePullSecrets: object[];
  hostAliases: object[];
}

const specOf = ({ body }: Answer) => (body['spec'] as { template: { spec: PodSpec } }).template.spec;
const names = (list: object[] | undefined) => list?.map((each) => (each as { name: string }).name);

type Look = (spec: PodSpec) => unknown;

const patches: [what: string, spec: object, look: Look, expected: unknown][] = [
  [
    'finds a container by its name and keeps the rest of it',
    { containers: [{ name: 'app', image: 'app:2' }] },
    (spec) => [names(spec.containers), spec.containers[0]?.image, spec.containers[0]?.args],
    [['app', 'side'], 'app:2', ['x', 'y']],
  ],
  [
    'puts a new container first',
    { containers: [{ name: 'new', image: 'new:1' }] },
    (spec) => names(spec.containers),
    ['new', 'app', 'side'],
  ],
  [
    'removes a container with $patch: delete',
    { containers: [{ name: 'side', $patch: 'delete' }] },
    (spec) => names(spec.containers),
    ['app'],
  ],
  [
    'replaces all containers with $patch: replace',
    { containers: [{ $patch: 'replace' }, { name: 'only', image: 'only:1' }] },
    (spec) => names(spec.containers),
    ['only'],
  ],
  [
    'orders containers with $setElementOrder',
    {
      '$setElementOrder/containers': [{ name: 'side' }, { name: 'app' }],
      containers: [{ name: 'app', image: 'app:2' }],
    },
    (spec) => names(spec.containers),
    ['side', 'app'],
  ],
  [
    'finds an environment variable by its name',
    { containers: [{ name: 'app', env: [{ name: 'B', value: 'new' }] }] },
    (spec) => spec.containers[0]?.env,
    [
      { name: 'A', value: '1' },
      { name: 'B', value: 'new' },
    ],
  ],
  [
    'replaces a value by a reference only when the value is taken away',
    {
      containers: [
        {
          name: 'app',
          env: [{ name: 'B', value: null, valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }],
        },
      ],
    },
    (spec) => spec.containers[0]?.env?.[1],
    { name: 'B', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } },
  ],
  [
    'removes an environment variable',
    { containers: [{ name: 'app', env: [{ name: 'A', $patch: 'delete' }] }] },
    (spec) => names(spec.containers[0]?.env),
    ['B'],
  ],
  [
    'finds a port by its number',
    { containers: [{ name: 'app', ports: [{ containerPort: 81, name: 'web' }] }] },
    (spec) => spec.containers[0]?.ports,
    [
      { containerPort: 80, protocol: 'TCP' },
      { name: 'web', containerPort: 81, protocol: 'TCP' },
    ],
  ],
  [
    'finds a mount by its path',
    {
      containers: [
        {
          name: 'app',
          volumeMounts: [
            { mountPath: '/one', name: 'two' },
            { mountPath: '/two', name: 'two' },
          ],
        },
      ],
    },
    (spec) => spec.containers[0]?.volumeMounts,
    [
      { name: 'two', mountPath: '/one' },
      { name: 'two', mountPath: '/two' },
    ],
  ],
  [
    'replaces lists without a key, such as arguments',
    { containers: [{ name: 'app', args: ['z'] }] },
    (spec) => spec.containers[0]?.args,
    ['z'],
  ],
  [
    'changes the source of a volume with $retainKeys',
    { volumes: [{ name: 'one', $retainKeys: ['name', 'secret'], secret: { secretName: 's' } }] },
    (spec) => spec.volumes[0],
    { name: 'one', secret: { secretName: 's', defaultMode: 420 } },
  ],
  [
    'removes a volume that nobody mounts',
    { volumes: [{ name: 'two', $patch: 'delete' }] },
    (spec) => names(spec.volumes),
    ['one'],
  ],
  [
    'replaces tolerations as a whole',
    { tolerations: [{ key: 'b', operator: 'Exists' }] },
    (spec) => spec.tolerations,
    [{ key: 'b', operator: 'Exists' }],
  ],
  [
    'merges pull secrets by name',
    { imagePullSecrets: [{ name: 'other' }] },
    (spec) => names(spec.imagePullSecrets)?.sort(),
    ['other', 'pull'],
  ],
  [
    'merges host aliases by address',
    {
      hostAliases: [
        { ip: '10.0.0.1', hostnames: ['b'] },
        { ip: '10.0.0.2', hostnames: ['c'] },
      ],
    },
    (spec) => spec.hostAliases,
    [
      { ip: '10.0.0.1', hostnames: ['b'] },
      { ip: '10.0.0.2', hostnames: ['c'] },
    ],
  ],
  [
    'replaces a map with $patch: replace',
    { securityContext: { $patch: 'replace', runAsUser: 5 } },
    (spec) => (spec as unknown as { securityContext: object }).securityContext,
    { runAsUser: 5 },
  ],
];

const badPatches: [what: string, spec: object, expected: Refusal][] = [
  [
    'a container without its name',
    { containers: [{ image: 'x' }] },
    { code: 500, message: 'map: map[image:x] does not contain declared merge key: name' },
  ],
  [
    'a $patch that is none',
    { containers: [{ name: 'app', $patch: 'explode' }] },
    { code: 500, message: 'unknown patch type: explode in map: map[$patch:explode name:app]' },
  ],
  [
    'an order that lacks a patched element',
    { '$setElementOrder/containers': [{ name: 'side' }], containers: [{ name: 'app', image: 'x' }] },
    {
      code: 500,
      message:
        "The order in patch list:\n[map[image:x name:app]]\n doesn't match $setElementOrder list:\n[map[name:side]]\n",
    },
  ],
  [
    '$retainKeys that lack a patched key',
    { volumes: [{ name: 'one', $retainKeys: ['name'], secret: { secretName: 's' } }] },
    badRequest('invalid patch format of retainKeys'),
  ],
  [
    'two sources of one volume',
    { volumes: [{ name: 'one', secret: { secretName: 's' } }] },
    invalid(
      'Deployment.apps',
      'NAME',
      'spec.template.spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type',
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "one"',
    ),
  ],
  [
    'a list where a map belongs',
    { securityContext: [1] },
    {
      code: 422,
      reason: 'Invalid',
      message:
        ' "" is invalid: patch: Invalid value: "map[spec:map[template:map[spec:map[securityContext:[1]]]]]": cannot restore struct from: slice',
      details: {
        causes: [
          {
            reason: 'FieldValueInvalid',
            message:
              'Invalid value: "map[spec:map[template:map[spec:map[securityContext:[1]]]]]": cannot restore struct from: slice',
            field: 'patch',
          },
        ],
      },
    },
  ],
  [
    'a map where a list belongs',
    { containers: { name: 'app' } },
    {
      code: 422,
      reason: 'Invalid',
      message:
        ' "" is invalid: patch: Invalid value: "map[spec:map[template:map[spec:map[containers:map[name:app]]]]]": cannot restore slice from map',
      details: {
        causes: [
          {
            reason: 'FieldValueInvalid',
            message:
              'Invalid value: "map[spec:map[template:map[spec:map[containers:map[name:app]]]]]": cannot restore slice from map',
            field: 'patch',
          },
        ],
      },
    },
  ],
  [
    'the last container removed',
    {
      containers: [
        { name: 'app', $patch: 'delete' },
        { name: 'side', $patch: 'delete' },
      ],
    },
    invalid('Deployment.apps', 'NAME', 'spec.template.spec.containers: Required value'),
  ],
];

contract('strategic merge patches', (it) => {
  for (const [what, spec, look, expected] of patches)
    it(`a strategic patch ${what}`, async (target) => {
      const answer = await patched(target, spec);
      expect(answer.code, answer.text).toBe(200);
      expect(look(specOf(answer))).toEqual(expected);
    });

  for (const [what, spec, expected] of badPatches)
    it(`a strategic patch with ${what} is refused`, async (target) => {
      const answer = await patched(target, spec);
      refused(target, { ...answer, text: answer.text.replaceAll(/patched-\d+/g, 'NAME') }, expected);
    });

  it('finalizers are merged, and one is removed with $deleteFromPrimitiveList', async ({ api, core }) => {
    const path = core('configmaps/finalized');
    await api.post(
      core('configmaps'),
      configMap({ name: 'finalized', finalizers: ['example.com/a', 'example.com/b'] }),
    );
    const added = await api.patch(path, 'strategic', { metadata: { finalizers: ['example.com/c'] } });
    expect(added.body.metadata.finalizers).toEqual(['example.com/c', 'example.com/a', 'example.com/b']);
    const removal = { '$deleteFromPrimitiveList/finalizers': ['example.com/b'] };
    const removed = await api.patch(path, 'strategic', { metadata: removal });
    expect(removed.body.metadata.finalizers).toEqual(['example.com/c', 'example.com/a']);
    const ordered = await api.patch(path, 'strategic', {
      metadata: {
        '$setElementOrder/finalizers': ['example.com/d', 'example.com/a'],
        finalizers: ['example.com/d'],
      },
    });
    expect(ordered.body.metadata.finalizers).toEqual(['example.com/d', 'example.com/c', 'example.com/a']);
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  it('owners are merged by their UID', async ({ api, core }) => {
    const owner = (uid: string, name: string) => ({ apiVersion: 'example.com/v1', kind: 'Owner', name, uid });
    const path = core('configmaps/owned');
    const object = configMap({
      name: 'owned',
      finalizers: ['example.com/stay'],
      ownerReferences: [owner('u1', 'a'), owner('u2', 'b')],
    });
    await api.post(core('configmaps'), object);
    const more = { ownerReferences: [owner('u3', 'c'), { uid: 'u1', $patch: 'delete' }] };
    const { body } = await api.patch(path, 'strategic', { metadata: more });
    expect(body.metadata.ownerReferences?.map((each) => (each as { uid: string }).uid).sort()).toEqual([
      'u2',
      'u3',
    ]);
    await api.patch(path, 'merge', { metadata: { finalizers: null } });
  });

  it('a whole object is emptied with $patch: replace', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('emptied', { data: { a: '1', b: '2' } }));
    const { body } = await api.patch(core('configmaps/emptied'), 'strategic', {
      data: { $patch: 'replace', c: '3' },
    });
    expect(body['data']).toEqual({ c: '3' });
  });

  it('a key of a map is removed with null', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('nulled', { data: { a: '1', b: '2' } }));
    const { body } = await api.patch(core('configmaps/nulled'), 'strategic', { data: { a: null } });
    expect(body['data']).toEqual({ b: '2' });
  });

  it('a Service finds its ports by number', async ({ api, core }) => {
    const ports = [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ];
    await api.post(core('services'), service('ported', { clusterIP: 'None', ports }));
    const { body } = await api.patch(core('services/ported'), 'strategic', {
      spec: { ports: [{ port: 81, targetPort: 9 }] },
    });
    expect((body['spec'] as { ports: object[] }).ports).toEqual([
      { name: 'a', protocol: 'TCP', port: 80, targetPort: 80 },
      { name: 'b', protocol: 'TCP', port: 81, targetPort: 9 },
    ]);
  });

  it('conditions of a status are merged by their type', async ({ api, apps }) => {
    await api.post(apps('deployments'), deployment('conditioned', { paused: true }));
    const condition = (type: string, status: string) => ({ type, status, reason: 'Test', message: '' });
    const patch = (...conditions: object[]) =>
      api.patch(apps('deployments/conditioned/status'), 'strategic', { status: { conditions } });
    await patch(condition('A', 'True'), condition('B', 'True'));
    const { body } = await patch(condition('B', 'False'));
    const found = (body['status'] as { conditions: { type: string; status: string }[] }).conditions;
    expect(found.map(({ type, status }) => `${type}=${status}`)).toEqual(
      expect.arrayContaining(['A=True', 'B=False']),
    );
  });
});
