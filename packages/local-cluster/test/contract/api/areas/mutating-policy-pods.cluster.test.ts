import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import { entriesOf } from '../managers.ts';
import { installMutatingPolicies, type MutatingPolicy, patches } from '../mutating-policy-objects.ts';
import { pod } from '../objects.ts';
import { invalid, refused } from '../statuses.ts';
import { once, type Target } from '../target.ts';

const rules = (operation: string, resource: string) => ({
  resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: [operation], resources: [resource] }],
});

/** `'configmap/foo=foo-1,secret/key=key-1'` in the annotation `versions`, as a map. */
const versions = {
  name: 'v',
  expression:
    "object.metadata.annotations.versions.split(',').transformMapEntry(i, p, {p.split('=')[0]: p.split('=')[1]})",
};

const assigned = {
  name: 'assigned',
  expression: "has(object.metadata.annotations) && 'versions' in object.metadata.annotations",
};

/** Rewrites the environment of the containers in a list. */
const environment = (list: string) =>
  `(has(object.spec.${list}) ? object.spec.${list}.transformList(i, c, has(c.envFrom), c.envFrom.transformList(j, e, has(e.configMapRef) && ('configmap/' + e.configMapRef.name) in variables.v, JSONPatch{op: 'replace', path: '/spec/${list}/' + string(i) + '/envFrom/' + string(j) + '/configMapRef/name', value: variables.v['configmap/' + e.configMapRef.name]})).flatten() : [])`;

const all: Record<string, MutatingPolicy> = {
  pods: {
    spec: {
      matchConstraints: rules('CREATE', 'pods'),
      matchConditions: [assigned],
      variables: [versions],
      mutations: patches(
        `(has(object.spec.volumes) ? object.spec.volumes.transformList(i, x, has(x.projected) && has(x.projected.sources), x.projected.sources.transformList(j, s, has(s.secret) && ('secret/' + s.secret.name) in variables.v, JSONPatch{op: 'replace', path: '/spec/volumes/' + string(i) + '/projected/sources/' + string(j) + '/secret/name', value: variables.v['secret/' + s.secret.name]})).flatten() : []) + ${environment('containers')} + ${environment('initContainers')}`,
      ),
    },
  },
  ephemeral: {
    spec: {
      matchConstraints: rules('UPDATE', 'pods/ephemeralcontainers'),
      matchConditions: [assigned],
      variables: [versions],
      mutations: patches(environment('ephemeralContainers')),
    },
    binding: { matchResources: { objectSelector: { matchLabels: { policy: 'pods' } } } },
  },
  'all-updates': {
    spec: {
      matchConstraints: rules('UPDATE', 'pods'),
      mutations: patches("[JSONPatch{op: 'add', path: '/metadata/labels/updated', value: 'yes'}]"),
    },
    binding: { matchResources: { objectSelector: { matchLabels: { policy: 'pods' } } } },
  },
};

const installed = once((target: Target) => installMutatingPolicies(target, all));

const envFrom = (name: string) => [{ configMapRef: { name } }];

const meta = (name: string) => ({
  name,
  labels: { policy: 'pods' },
  annotations: { versions: 'configmap/foo=foo-1,secret/key=key-1' },
});

const debugContainer = { name: 'debug', image: 'debug:1', envFrom: envFrom('foo') };

interface Spec {
  volumes?: { projected?: { sources: object[] } }[];
  containers: { envFrom?: object[] }[];
  initContainers?: { envFrom?: object[] }[];
  ephemeralContainers?: { envFrom?: object[] }[];
}

const specOf = ({ body }: Answer) => body['spec'] as Spec;

async function create(target: Target, name: string, spec: object = {}) {
  await installed(target);
  return target.api.post(target.core('pods'), pod(meta(name), spec));
}

contract('mutating admission policies for pods', (it) => {
  it('a pod is created with the references that its annotation assigns', async (target) => {
    const answer = await create(target, 'assigned', {
      containers: [
        { name: 'app', image: 'app:1', envFrom: [...envFrom('foo'), ...envFrom('bar')] },
        { name: 'other', image: 'app:1' },
      ],
      initContainers: [{ name: 'init', image: 'app:1', envFrom: envFrom('foo') }],
      volumes: [
        {
          name: 'all',
          projected: { sources: [{ secret: { name: 'key' } }, { configMap: { name: 'bar' } }] },
        },
      ],
    });
    expect(answer.code, answer.text).toBe(201);
    const { containers, initContainers, volumes } = specOf(answer);
    expect(containers.map((each) => each.envFrom)).toEqual([
      [...envFrom('foo-1'), ...envFrom('bar')],
      undefined,
    ]);
    expect(initContainers?.[0]?.envFrom).toEqual(envFrom('foo-1'));
    expect(volumes?.[0]?.projected?.sources).toEqual([
      { secret: { name: 'key-1' } },
      { configMap: { name: 'bar' } },
    ]);
  });

  it('ephemeral containers are mutated by policies that name the subresource', async (target) => {
    await create(target, 'debugged');
    const path = target.core('pods/debugged/ephemeralcontainers');
    const answer = await target.api.patch(
      path,
      'strategic',
      { spec: { ephemeralContainers: [debugContainer] } },
      { query: { fieldManager: 'debugger' } },
    );
    expect(answer.code, answer.text).toBe(200);
    expect(specOf(answer).ephemeralContainers).toEqual([
      {
        ...debugContainer,
        envFrom: envFrom('foo-1'),
        imagePullPolicy: 'IfNotPresent',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
      },
    ]);
    expect(answer.body.metadata.labels).toEqual({ policy: 'pods' });
    expect(answer.body.metadata.generation).toBe(2);
    const owned = entriesOf(answer).find(({ manager }) => manager === 'debugger');
    expect(owned).toMatchObject({ operation: 'Update', subresource: 'ephemeralcontainers' });
    expect(owned?.fieldsV1).toEqual({
      'f:spec': {
        'f:ephemeralContainers': {
          '.': {},
          'k:{"name":"debug"}': {
            '.': {},
            'f:envFrom': {},
            'f:image': {},
            'f:imagePullPolicy': {},
            'f:name': {},
            'f:resources': {},
            'f:terminationMessagePath': {},
            'f:terminationMessagePolicy': {},
          },
        },
      },
    });
  });

  it('a write of the ephemeral containers changes nothing else', async (target) => {
    await create(target, 'kept');
    const path = target.core('pods/kept/ephemeralcontainers');
    const answer = await target.api.patch(path, 'merge', {
      metadata: { annotations: { other: 'x' }, labels: { a: 'b' } },
      spec: { priority: 7, ephemeralContainers: [debugContainer] },
    });
    expect(answer.code, answer.text).toBe(200);
    expect(answer.body.metadata.annotations).toEqual(meta('kept').annotations);
    expect(answer.body.metadata.labels).toEqual({ policy: 'pods' });
    const read = await target.api.get(path);
    expect(specOf(read).ephemeralContainers?.[0]?.envFrom).toEqual(envFrom('foo-1'));
  });

  it('ephemeral containers can only be added', async (target) => {
    await create(target, 'grown');
    const path = target.core('pods/grown/ephemeralcontainers');
    await target.api.patch(path, 'merge', { spec: { ephemeralContainers: [debugContainer] } });
    refused(
      target,
      await target.api.patch(path, 'merge', { spec: { ephemeralContainers: null } }),
      invalid(
        'Pod',
        'grown',
        'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed\n',
      ),
    );
    refused(
      target,
      await target.api.patch(path, 'strategic', {
        spec: {
          ephemeralContainers: [
            {
              name: 'app',
              targetContainerName: 'nothing',
              ports: [{ containerPort: 80 }],
              volumeMounts: [{ name: 'none', mountPath: '/a', subPath: 'b' }],
            },
          ],
        },
      }),
      invalid(
        'Pod',
        'grown',
        'spec.ephemeralContainers[0].image: Required value',
        'spec.ephemeralContainers[0].volumeMounts[0].name: Not found: "none"',
        'spec.ephemeralContainers[0].name: Duplicate value: "app"',
        'spec.ephemeralContainers[0].targetContainerName: Not found: "nothing"',
        'spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container',
        'spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container',
      ),
    );
  });

  it('a pod is not created with ephemeral containers', async (target) => {
    refused(
      target,
      await create(target, 'born', { ephemeralContainers: [debugContainer] }),
      invalid('Pod', 'born', 'spec.ephemeralContainers: Forbidden: cannot be set on create'),
    );
  });
});
