import { expect } from 'vitest';
import { stringify } from 'yaml';
import { contract } from '../contract.ts';
import { applyAs, applyConflict, entriesOf, ownersOf } from '../managers.ts';
import { configMap, deployment, secret } from '../objects.ts';
import { binding, role, version } from '../rights.ts';
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  modified,
  notFound,
  type Refusal,
  refused,
  refuses,
} from '../statuses.ts';
import type { Target } from '../target.ts';
import { widget, widgetPath, widgets } from '../widgets.ts';

const maps = (target: Target, name: string) => target.core(`configmaps/${name}`);
const apply = (
  target: Target,
  name: string,
  manager: string,
  more: object = {},
  query: Record<string, string> = {},
) => applyAs(target, maps(target, name), manager, configMap(name, more), query);

const untyped = (name: string, why: string): Refusal => ({
  code: 500,
  message: `failed to create typed patch object (/${name}; /v1, Kind=ConfigMap): ${why}`,
});

const container = (name: string, more: object = {}) => ({ name, image: `${name}:1`, ...more });
const withContainers = (name: string, ...containers: object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name },
  spec: { template: { spec: { containers } } },
});

async function deployed(target: Target, name: string, ...containers: object[]) {
  const labels = { app: 'app' };
  const template = { metadata: { labels }, spec: { containers } };
  const answer = await applyAs(
    target,
    target.apps(`deployments/${name}`),
    'maker',
    deployment(name, { template }),
  );
  expect(answer.code, answer.text).toBe(201);
}

contract('server-side apply', (it) => {
  it('an apply needs the name of who applies', async (target) => {
    refused(
      target,
      await target.api.patch(maps(target, 'nameless'), 'apply', configMap('nameless')),
      invalid('PatchOptions.meta.k8s.io', '', 'fieldManager: Required value: is required for apply patch'),
    );
  });

  it('an apply creates, and owns what it names and nothing more', async (target) => {
    const answer = await apply(target, 'born', 'me', { data: { a: '1' } });
    expect(answer.code).toBe(201);
    expect(answer.body['data']).toEqual({ a: '1' });
    expect(entriesOf(answer)).toEqual([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {} } },
      },
    ]);
  });

  it('an apply may be in YAML', async (target) => {
    const text = stringify(configMap('yaml', { data: { a: '1' } }));
    const { code, body } = await applyAs(target, maps(target, 'yaml'), 'me', text);
    expect([code, body['data']]).toEqual([201, { a: '1' }]);
  });

  it('an apply of the same again changes nothing', async (target) => {
    const before = await apply(target, 'again', 'me', { data: { a: '1' } });
    const after = await apply(target, 'again', 'me', { data: { a: '1' } });
    expect(after.code).toBe(200);
    expect(after.body).toEqual(before.body);
  });

  it('what the manager no longer names goes', async (target) => {
    await apply(target, 'fewer', 'me', { data: { a: '1', b: '2' } });
    const { body } = await apply(target, 'fewer', 'me', { data: { b: '2' } });
    expect(body['data']).toEqual({ b: '2' });
    const after = await apply(target, 'fewer', 'me');
    expect(after.body).not.toHaveProperty('data');
    expect(ownersOf(after)).toEqual({});
  });

  it('managers of different fields never meet', async (target) => {
    await apply(target, 'apart', 'a', { data: { a: '1' } });
    await apply(target, 'apart', 'b', { data: { b: '2' } });
    const answer = await apply(target, 'apart', 'a', { data: { a: '3' } });
    expect(answer.body['data']).toEqual({ a: '3', b: '2' });
    expect(ownersOf(answer)).toEqual({
      'Apply a': { 'f:data': { 'f:a': {} } },
      'Apply b': { 'f:data': { 'f:b': {} } },
    });
  });

  it('a field that another applied is not changed', async (target) => {
    await apply(target, 'held', 'first', { data: { a: '1' } });
    refused(
      target,
      await apply(target, 'held', 'second', { data: { a: '2' } }),
      applyConflict('Apply failed with 1 conflict: conflict with "first": .data.a', ['"first"', '.data.a']),
    );
  });

  it('a field that another wrote is not changed', async (target) => {
    const { api, core } = target;
    const query = { fieldManager: 'writer' };
    await api.post(core('configmaps'), configMap('written', { data: { a: '1', b: '2' } }), { query });
    refused(
      target,
      await apply(target, 'written', 'me', { data: { a: '2', b: '3' } }),
      applyConflict(
        'Apply failed with 2 conflicts: conflicts with "writer" using v1:\n- .data.a\n- .data.b',
        ['"writer" using v1', '.data.a'],
        ['"writer" using v1', '.data.b'],
      ),
    );
  });

  it('a conflict with several tells all of them', async (target) => {
    await apply(target, 'several', 'first', { data: { a: '1', b: '1' } });
    await apply(target, 'several', 'second', { data: { a: '1' } });
    const { code, body } = await apply(target, 'several', 'third', { data: { a: '2', b: '2' } });
    expect([code, body['message']]).toEqual([
      409,
      'Apply failed with 3 conflicts: conflicts with "first":\n- .data.a\n- .data.b\nconflicts with "second":\n- .data.a',
    ]);
  });

  it('who forces takes the field over', async (target) => {
    await apply(target, 'forced', 'first', { data: { a: '1', b: '2' } });
    const answer = await apply(target, 'forced', 'second', { data: { a: '3' } }, { force: 'true' });
    expect(answer.body['data']).toEqual({ a: '3', b: '2' });
    expect(ownersOf(answer)).toEqual({
      'Apply first': { 'f:data': { 'f:b': {} } },
      'Apply second': { 'f:data': { 'f:a': {} } },
    });
  });

  it('who agrees shares the field, which stays until the last of them lets it go', async (target) => {
    await apply(target, 'shared', 'first', { data: { a: '1' } });
    const answer = await apply(target, 'shared', 'second', { data: { a: '1' } });
    expect(ownersOf(answer)).toEqual({
      'Apply first': { 'f:data': { 'f:a': {} } },
      'Apply second': { 'f:data': { 'f:a': {} } },
    });
    expect((await apply(target, 'shared', 'first')).body['data']).toEqual({ a: '1' });
    expect((await apply(target, 'shared', 'second')).body).not.toHaveProperty('data');
  });

  it('what a writer changed since is not removed by who applied it', async (target) => {
    await apply(target, 'taken', 'me', { data: { a: '1', b: '1' } });
    await target.api.patch(
      maps(target, 'taken'),
      'merge',
      { data: { a: '2' } },
      { query: { fieldManager: 'w' } },
    );
    const answer = await apply(target, 'taken', 'me');
    expect(answer.body['data']).toEqual({ a: '2' });
    expect(ownersOf(answer)).toEqual({ 'Update w': { 'f:data': { 'f:a': {} } } });
  });

  it('the same name owns apart what it applies and what it writes', async (target) => {
    await apply(target, 'twofold', 'me', { data: { a: '1' } });
    const query = { fieldManager: 'me' };
    const answer = await target.api.patch(maps(target, 'twofold'), 'merge', { data: { b: '2' } }, { query });
    expect(ownersOf(answer)).toEqual({
      'Apply me': { 'f:data': { 'f:a': {} } },
      'Update me': { 'f:data': { 'f:b': {} } },
    });
  });

  it('a dry run creates nothing', async (target) => {
    const { code } = await apply(target, 'dry', 'me', { data: { a: '1' } }, { dryRun: 'All' });
    expect(code).toBe(201);
    refused(target, await target.api.get(maps(target, 'dry')), notFound('configmaps', 'dry'));
  });

  it('a dry run changes nothing, and tells what would be', async (target) => {
    await apply(target, 'dry-change', 'me', { data: { a: '1' } });
    const { body } = await apply(target, 'dry-change', 'me', { data: { a: '2' } }, { dryRun: 'All' });
    expect(body['data']).toEqual({ a: '2' });
    expect((await target.api.get(maps(target, 'dry-change'))).body['data']).toEqual({ a: '1' });
  });

  for (const [what, config, because] of [
    ['another kind', secret('typed'), 'invalid object type: /v1, Kind=Secret'],
    [
      'another version',
      { ...configMap('typed'), apiVersion: 'v2' },
      'invalid object type: /v2, Kind=ConfigMap',
    ],
    ['no type', { metadata: { name: 'typed' } }, 'invalid object type: /, Kind='],
    ['nothing', '', 'invalid object type: /, Kind='],
    ['a record', configMap({ name: 'typed', managedFields: [] }), 'metadata.managedFields must be nil'],
    [
      'a list',
      '- a',
      'error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [
      'no name',
      { apiVersion: 'v1', kind: 'ConfigMap' },
      'the name of the object (typed based on URL) was undeterminable: name must be provided',
    ],
    [
      'another name',
      configMap('other'),
      'the name of the object (other) does not match the name on the URL (typed)',
    ],
    [
      'another namespace',
      configMap({ name: 'typed', namespace: 'other' }),
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ] as const)
    it(
      `an apply of ${what} is refused`,
      refuses((target) => applyAs(target, maps(target, 'typed'), 'me', config), badRequest(because)),
    );

  for (const [what, more, because] of [
    ['a field that the kind does not have', { dta: {} }, '.dta: field not declared in schema'],
    [
      'a number for a text',
      { data: { a: 1 } },
      '.data.a: expected string, got &value.valueUnstructured{Value:1}',
    ],
    ['a text for a map', { data: 'x' }, '.data: expected map, got &{x}'],
    ['a text for a boolean', { immutable: 'x' }, '.immutable: expected boolean, got &{x}'],
  ] as const)
    it(
      `an apply of ${what} is refused`,
      refuses((target) => apply(target, 'mistyped', 'me', more), untyped('mistyped', because)),
    );

  it('an apply with a key twice is warned of, and refused by Strict', async (target) => {
    const text = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  q: one\n  q: two\n';
    const path = maps(target, 'twice');
    const { headers, body } = await applyAs(target, path, 'me', text);
    expect(body['data']).toEqual({ q: 'two' });
    expect(headers['warning']).toBe('299 - "line 7: key \\"q\\" already set in map"');
    refused(
      target,
      await applyAs(target, path, 'me', text, { fieldValidation: 'Strict' }),
      badRequest(
        'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "q" already set in map',
      ),
    );
  });

  it('an apply with a version that is not the present one is refused', async (target) => {
    await apply(target, 'versioned', 'me');
    const config = configMap({ name: 'versioned', resourceVersion: '1' });
    refused(
      target,
      await applyAs(target, maps(target, 'versioned'), 'me', config),
      conflict('configmaps', 'versioned', modified),
    );
  });

  it('an apply with a UID creates nothing', async (target) => {
    const config = configMap({ name: 'with-uid', uid: 'x' });
    refused(
      target,
      await applyAs(target, maps(target, 'with-uid'), 'me', config),
      conflict(
        'configmaps',
        'with-uid',
        'uid mismatch: the provided object specified uid x, and no existing object was found',
      ),
    );
  });

  it('what an apply makes is validated like anything else', async (target) => {
    const { code, body } = await apply(target, 'invalid', 'me', { data: { 'a b': '1' } });
    expect([code, body['reason']]).toEqual([422, 'Invalid']);
  });

  it('who may patch and not create cannot create by applying', async (target) => {
    const { api, group } = target;
    const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] };
    await api.post(group(version, 'roles'), role('patcher', [rule]));
    await api.post(
      group(version, 'rolebindings'),
      binding('patcher', { kind: 'Role', name: 'patcher' }, 'patcher'),
    );
    await apply(target, 'there', 'me', { data: { a: '1' } });
    const patcher = await target.as({ user: 'patcher' });
    const query = { fieldManager: 'patcher' };
    const ask = (name: string) =>
      patcher.patch(maps(target, name), 'apply', configMap(name, { data: { b: '2' } }), { query });
    await allowed(() => ask('there'));
    refused(
      target,
      await ask('not-there'),
      forbidden(
        'configmaps',
        'not-there',
        'User "patcher" cannot create resource "configmaps" in API group "" in the namespace "NAMESPACE"',
      ),
    );
  });

  it('who may update and not create cannot create by an update', async (target) => {
    const { api, group } = target;
    const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'update'] };
    await api.post(group(version, 'roles'), role('updater', [rule]));
    await api.post(
      group(version, 'rolebindings'),
      binding('updater', { kind: 'Role', name: 'updater' }, 'updater'),
    );
    const leases = 'coordination.k8s.io/v1';
    const lease = (name: string) => ({ apiVersion: leases, kind: 'Lease', metadata: { name } });
    await api.post(group(leases, 'leases'), lease('there'));
    const updater = await target.as({ user: 'updater' });
    const { body } = await api.get(group(leases, 'leases/there'));
    await allowed(() => updater.put(group(leases, 'leases/there'), body));
    refused(
      target,
      await updater.put(group(leases, 'leases/not-there'), lease('not-there')),
      forbidden(
        'leases.coordination.k8s.io',
        'not-there',
        'User "updater" cannot create resource "leases" in API group "coordination.k8s.io" in the namespace "NAMESPACE"',
      ),
    );
  });

  it('containers of different managers live side by side', async (target) => {
    const path = target.apps('deployments/side');
    await deployed(target, 'side', container('app'));
    await applyAs(target, path, 'injector', withContainers('side', container('proxy')));
    const { body } = await applyAs(
      target,
      path,
      'maker',
      deployment('side', templateOf(container('app', { image: 'app:2' }))),
    );
    expect(namesAndImages(body)).toEqual(['app app:2', 'proxy proxy:1']);
    const after = await applyAs(target, path, 'injector', withContainers('side'));
    expect(namesAndImages(after.body)).toEqual(['app app:2']);
  });

  it('the order of the applied list holds, and others keep their place in it', async (target) => {
    const path = target.apps('deployments/ordered');
    await deployed(target, 'ordered', container('a'), container('b'));
    await applyAs(target, path, 'injector', withContainers('ordered', container('x'), container('b')));
    const { body } = await applyAs(
      target,
      path,
      'maker',
      deployment('ordered', templateOf(container('b'), container('c'), container('a'))),
    );
    expect(namesAndImages(body)).toEqual(['x x:1', 'b b:1', 'c c:1', 'a a:1']);
    const crossed = withContainers('ordered', container('a'), container('b'), container('c'));
    const after = await applyAs(target, path, 'injector', crossed);
    expect(namesAndImages(after.body)).toEqual(['a a:1', 'b b:1', 'c c:1']);
  });

  it('a conflict names the item of a list', async (target) => {
    await deployed(target, 'items', container('app', { env: [{ name: 'A', value: '1' }] }));
    refused(
      target,
      await applyAs(
        target,
        target.apps('deployments/items'),
        'other',
        withContainers('items', { name: 'app', env: [{ name: 'A', value: '2' }] }),
      ),
      applyConflict(
        'Apply failed with 1 conflict: conflict with "maker": .spec.template.spec.containers[name="app"].env[name="A"].value',
        ['"maker"', '.spec.template.spec.containers[name="app"].env[name="A"].value'],
      ),
    );
  });

  it('an item twice is refused', async (target) => {
    refused(
      target,
      await applyAs(
        target,
        target.apps('deployments/twins'),
        'me',
        withContainers('twins', container('a'), container('a')),
      ),
      {
        code: 500,
        message:
          'failed to create typed patch object (/twins; apps/v1, Kind=Deployment): .spec.template.spec.containers: duplicate entries for key [name="a"]',
      },
    );
  });

  it('an item without its key is refused', async (target) => {
    await widgets(target);
    const config = widget(target, 'keyless', { parts: [{ count: 1 }] });
    refused(target, await applyAs(target, widgetPath(target, 'keyless'), 'me', config), {
      code: 500,
      message:
        'failed to create typed patch object (/keyless; NAMESPACE.example.com/v1, Kind=Widget): .spec.parts: element 0: associative list with keys has an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)',
    });
  });

  it('the status is applied at its own place', async (target) => {
    await deployed(target, 'reported', container('app'));
    const path = target.apps('deployments/reported/status');
    const status = { conditions: [{ type: 'Happy', status: 'True' }] };
    const config = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'reported' } };
    const answer = await applyAs(target, path, 'reporter', { ...config, spec: { replicas: 9 }, status });
    expect(ownersOf(answer)['Apply reporter status']).toEqual({
      'f:status': { 'f:conditions': { 'k:{"type":"Happy"}': { '.': {}, 'f:status': {}, 'f:type': {} } } },
    });
    expect((answer.body['spec'] as { replicas: number }).replicas).toBe(0);
    refused(
      target,
      await applyAs(target, path, 'other', {
        ...config,
        status: { conditions: [{ type: 'Happy', status: 'False' }] },
      }),
      applyConflict(
        'Apply failed with 1 conflict: conflict with "reporter" with subresource "status": .status.conditions[type="Happy"].status',
        ['"reporter" with subresource "status"', '.status.conditions[type="Happy"].status'],
      ),
    );
  });

  it(
    'the status of what is not there is not applied',
    refuses(
      (target) =>
        applyAs(target, target.apps('deployments/nobody/status'), 'me', {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'nobody' },
        }),
      notFound('deployments.apps', 'nobody'),
    ),
  );

  it('a scale is applied, too', async (target) => {
    await deployed(target, 'sized', container('app'));
    const path = target.apps('deployments/sized/scale');
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'sized' },
      spec: { replicas: 1 },
    };
    refused(
      target,
      await applyAs(target, path, 'scaler', scale),
      applyConflict('Apply failed with 1 conflict: conflict with "maker": .spec.replicas', [
        '"maker"',
        '.spec.replicas',
      ]),
    );
    const { code } = await applyAs(target, path, 'scaler', scale, { force: 'true' });
    expect(code).toBe(200);
    const owners = ownersOf(await target.api.get(target.apps('deployments/sized')));
    expect(owners['Apply scaler scale']).toEqual({ 'f:spec': { 'f:replicas': {} } });
    await target.api.delete(target.apps('deployments/sized'));
  });

  it('custom resources are applied as their schema says', async (target) => {
    await widgets(target);
    const path = widgetPath(target, 'applied');
    const config = (spec: object) => {
      const { spec: _, ...rest } = widget(target, 'applied');
      return { ...rest, spec };
    };
    const first = { size: 1, tags: ['t1'], parts: [{ name: 'a' }], free: { x: { list: [1] } } };
    expect((await applyAs(target, path, 'me', config(first))).code).toBe(201);
    const { body } = await applyAs(
      target,
      path,
      'you',
      config({ tags: ['t2'], parts: [{ name: 'b', count: 3 }], free: { y: 1 } }),
    );
    expect(body['spec']).toMatchObject({
      size: 1,
      tags: ['t1', 't2'],
      parts: [
        { name: 'a', count: 1 },
        { name: 'b', count: 3 },
      ],
      free: { x: { list: [1] }, y: 1 },
    });
    refused(
      target,
      await applyAs(target, path, 'you', config({ size: 2, free: { x: { list: [2] } } })),
      applyConflict(
        'Apply failed with 2 conflicts: conflicts with "me":\n- .spec.size\n- .spec.free.x.list',
        ['"me"', '.spec.size'],
        ['"me"', '.spec.free.x.list'],
      ),
    );
    refused(target, await applyAs(target, path, 'me', config({ size: 1, sise: 2 })), {
      code: 500,
      message:
        'failed to create typed patch object (/applied; NAMESPACE.example.com/v1, Kind=Widget): .spec.sise: field not declared in schema',
    });
  });

  it('fields of a Secret are applied as they are written', async (target) => {
    const answer = await applyAs(
      target,
      target.core('secrets/applied'),
      'me',
      secret('applied', { stringData: { a: 'b' } }),
    );
    expect(answer.body['data']).toEqual({ a: 'Yg==' });
    expect(ownersOf(answer)).toEqual({ 'Apply me': { 'f:stringData': { 'f:a': {} } } });
  });

  /** Retries until the request is allowed: the server observes new permissions with a delay. */
  async function allowed(ask: () => Promise<{ code: number }>): Promise<void> {
    await expect.poll(async () => (await ask()).code, { timeout: 10_000 }).toBe(200);
  }
});

function templateOf(...containers: object[]) {
  return { template: { metadata: { labels: { app: 'app' } }, spec: { containers } } };
}

function namesAndImages(body: { [field: string]: unknown }): string[] {
  const { spec } = body as unknown as {
    spec: { template: { spec: { containers: { name: string; image: string }[] } } };
  };
  return spec.template.spec.containers.map(({ name, image }) => `${name} ${image}`);
}
