import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Answer } from '../http.ts';
import { applyAs, ownersOf } from '../managers.ts';
import { installMutatingPolicies, type MutatingPolicy, patches } from '../mutating-policy-objects.ts';
import { podSpec, workload } from '../objects.ts';
import { once, type Target } from '../target.ts';

const kinds = ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'] as const;

const workloadRules = [
  {
    apiGroups: ['apps'],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: kinds.map((kind) => `${kind.toLowerCase()}s`),
  },
];

/** Rewrites the names of ConfigMaps in a template to the name in the annotation `move`. */
const move: MutatingPolicy = {
  spec: {
    reinvocationPolicy: 'IfNeeded',
    matchConstraints: { resourceRules: workloadRules },
    matchConditions: [
      {
        name: 'asked',
        expression: "has(object.metadata.annotations) && 'move' in object.metadata.annotations",
      },
    ],
    variables: [
      { name: 'to', expression: 'object.metadata.annotations.move' },
      { name: 'template', expression: 'object.spec.template.spec' },
    ],
    mutations: patches(
      `(has(variables.template.volumes) ? variables.template.volumes.transformList(i, x, has(x.configMap) && x.configMap.name.startsWith('foo'), JSONPatch{op: 'replace', path: '/spec/template/spec/volumes/' + string(i) + '/configMap/name', value: variables.to}) : [])
      + variables.template.containers.transformList(i, c, has(c.envFrom), c.envFrom.transformList(j, e, has(e.configMapRef), JSONPatch{op: 'replace', path: '/spec/template/spec/containers/' + string(i) + '/envFrom/' + string(j) + '/configMapRef/name', value: variables.to})).flatten()`,
    ),
  },
};

/** Adds fields that nobody has sent. */
const add: MutatingPolicy = {
  spec: {
    matchConstraints: { resourceRules: workloadRules },
    mutations: [
      ...patches("[JSONPatch{op: 'add', path: '/metadata/annotations', value: {'added': 'by policy'}}]"),
      {
        patchType: 'ApplyConfiguration',
        applyConfiguration: { expression: 'Object{spec: Object.spec{minReadySeconds: 5}}' },
      },
    ],
  },
};

const installed = once((target: Target) => installMutatingPolicies(target, { move, add }));

const labels = (policy: string) => ({ policy });

function config(kind: (typeof kinds)[number], name: string, policy: string, annotations?: object) {
  const spec = {
    ...podSpec(),
    containers: [{ name: 'app', image: 'app:1', envFrom: [{ configMapRef: { name: 'foo' } }] }],
    volumes: [{ name: 'config', configMap: { name: 'foo' } }],
  };
  return workload(
    kind,
    { name, labels: labels(policy), ...(annotations === undefined ? {} : { annotations }) },
    {
      ...(kind === 'DaemonSet' ? {} : { replicas: 0 }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      template: { metadata: { labels: { app: 'app' } }, spec },
    },
  );
}

const pathOf = (target: Target, kind: string, name: string) => target.apps(`${kind.toLowerCase()}s/${name}`);

function names({ body }: Answer): unknown[] {
  const { volumes, containers } = (
    body['spec'] as {
      template: {
        spec: {
          volumes: { configMap: { name: string } }[];
          containers: { envFrom: { configMapRef: { name: string } }[] }[];
        };
      };
    }
  ).template.spec;
  return [volumes[0]?.configMap.name, containers[0]?.envFrom[0]?.configMapRef.name];
}

contract('owners of what mutating policies change', (it) => {
  for (const kind of kinds)
    it(`whoever applied a ${kind} stays the owner of what a policy rewrites, and never conflicts`, async (target) => {
      await installed(target);
      const name = `applied-${kind.toLowerCase()}`;
      const path = pathOf(target, kind, name);
      const plain = config(kind, name, 'move', { kept: 'yes' });
      const applied = await applyAs(target, path, 'me', plain);
      expect(names(applied)).toEqual(['foo', 'foo']);
      const before = ownersOf(applied);
      expect(Object.keys(before)).toEqual(['Apply me']);
      const patched = await target.api.patch(
        path,
        'json',
        [{ op: 'add', path: '/metadata/annotations/move', value: 'foo-1' }],
        { query: { fieldManager: 'mover' } },
      );
      expect(names(patched)).toEqual(['foo-1', 'foo-1']);
      const owners = ownersOf(patched);
      expect(owners['Apply me']).toEqual(before['Apply me']);
      expect(owners['Update mover']).toMatchObject({ 'f:metadata': { 'f:annotations': { 'f:move': {} } } });
      const mine = owners['Update mover'] as object;
      expect(Object.keys(mine)).toEqual(['f:metadata']);
      const again = await applyAs(target, path, 'me', plain);
      expect(names(again)).toEqual(['foo-1', 'foo-1']);
      expect(ownersOf(again)['Apply me']).toEqual(owners['Apply me']);
      expect(ownersOf(again)['Update mover']).toEqual(owners['Update mover']);
      expect(again.body['spec']).toEqual(patched.body['spec']);
    });

  it('an apply that is rewritten at once is owned by whoever applied it', async (target) => {
    await installed(target);
    const path = pathOf(target, 'Deployment', 'rewritten');
    const whole = config('Deployment', 'rewritten', 'move', { move: 'foo-1' });
    const applied = await applyAs(target, path, 'me', whole);
    expect(names(applied)).toEqual(['foo-1', 'foo-1']);
    expect(Object.keys(ownersOf(applied))).toEqual(['Apply me']);
    const again = await applyAs(target, path, 'me', whole);
    expect(again.code).toBe(200);
    expect(again.body['spec']).toEqual(applied.body['spec']);
    expect(names(again)).toEqual(['foo-1', 'foo-1']);
    expect((await applyAs(target, path, 'other', whole)).code).toBe(409);
  });

  it('a change of the annotation by an apply moves what another manager has applied', async (target) => {
    await installed(target);
    const path = pathOf(target, 'Deployment', 'moved-by-apply');
    const applied = await applyAs(target, path, 'me', config('Deployment', 'moved-by-apply', 'move'));
    const moved = await applyAs(target, path, 'mover', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'moved-by-apply', annotations: { move: 'foo-2' } },
    });
    expect(names(moved)).toEqual(['foo-2', 'foo-2']);
    expect(ownersOf(moved)).toMatchObject({
      ...ownersOf(applied),
      'Apply mover': { 'f:metadata': { 'f:annotations': { 'f:move': {} } } },
    });
  });

  it('an update that sends the name from before takes the ownership, and is rewritten', async (target) => {
    await installed(target);
    const path = pathOf(target, 'Deployment', 'updated');
    const plain = config('Deployment', 'updated', 'move', { move: 'foo-1' });
    const created = await target.api.post(target.apps('deployments'), plain, {
      query: { fieldManager: 'maker' },
    });
    expect(names(created)).toEqual(['foo-1', 'foo-1']);
    expect(Object.keys(ownersOf(created))).toEqual(['Update maker']);
    const updated = await target.api.put(path, plain, { query: { fieldManager: 'updater' } });
    expect(names(updated)).toEqual(['foo-1', 'foo-1']);
    expect(ownersOf(updated)['Update updater']).toEqual({
      'f:spec': {
        'f:template': {
          'f:spec': {
            'f:containers': { 'k:{"name":"app"}': { 'f:envFrom': {} } },
            'f:volumes': { 'k:{"name":"config"}': { 'f:configMap': { 'f:name': {} } } },
          },
        },
      },
    });
    expect(updated.body['spec']).toEqual(created.body['spec']);
  });

  it('what a policy adds belongs to nobody', async (target) => {
    await installed(target);
    const path = pathOf(target, 'Deployment', 'added');
    const plain = config('Deployment', 'added', 'add');
    const applied = await applyAs(target, path, 'me', plain);
    expect(applied.body['spec']).toMatchObject({ minReadySeconds: 5 });
    expect(applied.body.metadata.annotations).toEqual({ added: 'by policy' });
    const owners = ownersOf(applied);
    expect(Object.keys(owners)).toEqual(['Apply me']);
    expect(JSON.stringify(owners)).not.toMatch(/minReadySeconds|annotations/);
    const other = await applyAs(target, path, 'other', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'added' },
      spec: { minReadySeconds: 7 },
    });
    expect(other.body['spec']).toMatchObject({ minReadySeconds: 5 });
    expect(ownersOf(other)['Apply other']).toEqual({ 'f:spec': { 'f:minReadySeconds': {} } });
  });
});
