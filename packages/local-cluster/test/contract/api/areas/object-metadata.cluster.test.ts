import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment, pod, secret } from '../objects.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  notFound,
  type Refusal,
  refused,
  refuses,
} from '../statuses.ts';
import { qualifiedName } from '../texts.ts';

const tooLong = (length: number) => 'a'.repeat(length);
const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'a-uid' };

contract('object metadata', (it) => {
  it('the server gives a new object a UID, a version and the time of its birth', async ({
    api,
    core,
    namespace,
  }) => {
    const { code, body } = await api.post(core('configmaps'), configMap('born'));
    expect(code).toBe(201);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'born', namespace },
    });
    expect(body.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(body.metadata).not.toHaveProperty('generation');
    expect(body.metadata).not.toHaveProperty('selfLink');
  });

  it('what the server alone decides is ignored in a new object', async ({ api, core }) => {
    const made = {
      uid: 'mine',
      creationTimestamp: '2001-01-01T00:00:00Z',
      deletionTimestamp: '2001-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 5,
      generation: 7,
      selfLink: '/mine',
    };
    const { code, body } = await api.post(core('configmaps'), configMap({ name: 'own-ideas', ...made }));
    expect(code).toBe(201);
    expect(body.metadata.uid).not.toBe('mine');
    expect(body.metadata.creationTimestamp).not.toMatch(/^2001/);
    expect(body.metadata).not.toHaveProperty('deletionTimestamp');
    expect(body.metadata).not.toHaveProperty('selfLink');
    expect(body.metadata.generation).toBe(7);
  });

  it('a new object must not carry a resourceVersion', async (target) => {
    const object = configMap({ name: 'versioned', resourceVersion: '5' });
    refused(target, await target.api.post(target.core('configmaps'), object), {
      code: 500,
      message: 'resourceVersion should not be set on objects to be created',
    });
  });

  it('a name is taken once', async (target) => {
    const { api, core } = target;
    await api.post(core('configmaps'), configMap('taken'));
    refused(
      target,
      await api.post(core('configmaps'), configMap('taken')),
      alreadyExists('configmaps', 'taken'),
    );
  });

  it('a Deployment’s taken name is told with its group', async (target) => {
    const { api, apps } = target;
    await api.post(apps('deployments'), deployment('taken'));
    refused(
      target,
      await api.post(apps('deployments'), deployment('taken')),
      alreadyExists('deployments.apps', 'taken'),
    );
  });

  it('annotations may hold 256 KiB in all, keys included', async ({ api, core }) => {
    const annotations = { a: 'x'.repeat(256 * 1024 - 1) };
    const { code } = await api.post(core('configmaps'), configMap({ name: 'annotated', annotations }));
    expect(code).toBe(201);
  });

  it('annotations that are larger are refused', async (target) => {
    const object = configMap({ name: 'too-annotated', annotations: { a: 'x'.repeat(256 * 1024) } });
    refused(
      target,
      await target.api.post(target.core('configmaps'), object),
      invalid(
        'ConfigMap',
        'too-annotated',
        'metadata.annotations: Too long: may not be more than 262144 bytes',
      ),
    );
  });

  it('a finalizer must be a qualified name', async (target) => {
    const object = configMap({ name: 'finalized', finalizers: ['not a name'] });
    refused(
      target,
      await target.api.post(target.core('configmaps'), object),
      invalid(
        'ConfigMap',
        'finalized',
        `metadata.finalizers: Invalid value: "not a name": ${qualifiedName}`,
        'metadata.finalizers[0]: Invalid value: "not a name": name is neither a standard finalizer name nor is it fully qualified',
      ),
    );
  });

  it('a finalizer of Kubernetes’ own must be one that exists', async (target) => {
    const object = configMap({ name: 'finalized', finalizers: ['plain'] });
    refused(
      target,
      await target.api.post(target.core('configmaps'), object),
      invalid(
        'ConfigMap',
        'finalized',
        'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified',
      ),
    );
  });

  it('orphan and foregroundDeletion exclude each other', async (target) => {
    const object = configMap({ name: 'finalized', finalizers: ['orphan', 'foregroundDeletion'] });
    refused(
      target,
      await target.api.post(target.core('configmaps'), object),
      invalid(
        'ConfigMap',
        'finalized',
        'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
      ),
    );
  });

  const badOwners: [why: string, owners: object[], expected: Refusal][] = [
    [
      'without a UID',
      [{ ...owner, uid: '' }],
      invalid('ConfigMap', 'owned', 'metadata.ownerReferences.uid: Invalid value: "": must not be empty'),
    ],
    [
      'without a name',
      [{ ...owner, name: '' }],
      invalid('ConfigMap', 'owned', 'metadata.ownerReferences.name: Invalid value: "": must not be empty'),
    ],
    [
      'without a kind',
      [{ ...owner, kind: '' }],
      invalid('ConfigMap', 'owned', 'metadata.ownerReferences.kind: Invalid value: "": must not be empty'),
    ],
    [
      'without a version',
      [{ ...owner, apiVersion: '' }],
      invalid(
        'ConfigMap',
        'owned',
        'metadata.ownerReferences.apiVersion: Invalid value: "": version must not be empty',
      ),
    ],
    [
      'of two controllers',
      [
        { ...owner, controller: true },
        { ...owner, uid: 'other', name: 'other', controller: true },
      ],
      invalid(
        'ConfigMap',
        'owned',
        'metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":"a-uid","controller":true},{"apiVersion":"v1","kind":"ConfigMap","name":"other","uid":"other","controller":true}]: Only one reference can have Controller set to true. Found "true" in references for ConfigMap/owner and ConfigMap/other',
      ),
    ],
    [
      'that is an Event',
      [{ ...owner, kind: 'Event' }],
      invalid(
        'ConfigMap',
        'owned',
        'metadata.ownerReferences: Invalid value: {"apiVersion":"v1","kind":"Event","name":"owner","uid":"a-uid"}: /v1, Kind=Event is disallowed from being an owner',
      ),
    ],
  ];
  for (const [why, ownerReferences, expected] of badOwners)
    it(`an owner ${why} is refused`, async (target) => {
      const object = configMap({ name: 'owned', ownerReferences });
      refused(target, await target.api.post(target.core('configmaps'), object), expected);
    });

  it('an owner given twice is kept once, with a warning', async ({ api, core }) => {
    const ownerReferences = [
      { ...owner, uid: '00000000-0000-4000-8000-000000000000' },
      { ...owner, uid: '00000000-0000-4000-8000-000000000000' },
    ];
    const { code, body, headers } = await api.post(
      core('configmaps'),
      configMap({ name: 'owned-twice', ownerReferences }),
      { query: { dryRun: 'All' } },
    );
    expect(code).toBe(201);
    expect([body.metadata.ownerReferences, headers['warning']]).toEqual([
      [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '00000000-0000-4000-8000-000000000000' }],
      '299 - ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: 00000000-0000-4000-8000-000000000000"',
    ]);
  });

  it('a UID cannot be changed', async (target) => {
    const { api, core } = target;
    await api.post(core('configmaps'), configMap('fixed'));
    const object = configMap({ name: 'fixed', uid: '00000000-0000-4000-8000-000000000000' });
    refused(
      target,
      await api.put(core('configmaps/fixed'), object),
      conflict(
        'configmaps',
        'fixed',
        'StorageError: invalid object, Code: 4, Key: /registry/configmaps/NAMESPACE/fixed, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: UID, UID in object meta: UID',
      ),
    );
  });

  it('what must not change keeps its value when an update leaves it out', async ({ api, core }) => {
    const { body: before } = await api.post(
      core('configmaps'),
      configMap({ generateName: 'kept-', annotations: { a: 'b' } }),
    );
    const { code, body } = await api.put(
      core(`configmaps/${before.metadata.name}`),
      configMap(before.metadata.name),
    );
    expect(code).toBe(200);
    const { uid, creationTimestamp } = before.metadata;
    expect(body.metadata).toMatchObject({ uid, creationTimestamp });
    expect(body.metadata).not.toHaveProperty('annotations');
    expect(body.metadata).not.toHaveProperty('generateName');
  });

  it('a name that is not the path’s is refused', async (target) => {
    const { api, core } = target;
    await api.post(core('configmaps'), configMap('here'));
    refused(
      target,
      await api.put(core('configmaps/here'), configMap('there')),
      badRequest('the name of the object (there) does not match the name on the URL (here)'),
    );
  });

  it('a namespace that is not the path’s is refused', async (target) => {
    const object = configMap({ name: 'elsewhere', namespace: 'default' });
    refused(
      target,
      await target.api.post(target.core('configmaps'), object),
      badRequest('the namespace of the provided object does not match the namespace sent on the request'),
    );
  });

  it(
    'an object goes into no namespace that does not exist',
    refuses(
      ({ api }) => api.post('/api/v1/namespaces/no-such-place/configmaps', configMap('lost')),
      notFound('namespaces', 'no-such-place'),
    ),
  );

  it('of a namespace that does not exist, the list is empty', async ({ api }) => {
    const { code, body } = await api.get('/api/v1/namespaces/no-such-place/configmaps');
    expect([code, body.items]).toEqual([200, []]);
  });

  it(
    'an object that is not there cannot be updated',
    refuses(
      ({ api, core }) => api.put(core('secrets/nobody'), secret('nobody')),
      notFound('secrets', 'nobody'),
    ),
  );

  it('generation counts changes of the spec and nothing else', async ({ api, apps }) => {
    const seen = [];
    const { body } = await api.post(apps('deployments'), deployment({ name: 'counted', generation: 9 }));
    seen.push(body.metadata.generation);
    const steps = [
      { metadata: { labels: { a: 'b' } } },
      { spec: { minReadySeconds: 5 } },
      { spec: { minReadySeconds: 5 } },
    ];
    for (const step of steps)
      seen.push((await api.patch(apps('deployments/counted'), 'merge', step)).body.metadata.generation);
    expect(seen).toEqual([1, 1, 2, 2]);
  });

  it('a pod has a generation, too', async ({ api, core }) => {
    const { body } = await api.post(core('pods'), pod('counted'));
    const { body: later } = await api.patch(core('pods/counted'), 'merge', {
      spec: { activeDeadlineSeconds: 1000 },
    });
    expect([body.metadata.generation, later.metadata.generation]).toEqual([1, 2]);
  });

  it('an update that changes nothing keeps the version', async ({ api, core }) => {
    const { body } = await api.post(core('configmaps'), configMap('same', { data: { a: '1' } }));
    const { body: after } = await api.put(core('configmaps/same'), configMap('same', { data: { a: '1' } }));
    expect(after.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  it('who wrote which field is remembered under the name of the program', async ({ api, core }) => {
    const headers = { 'user-agent': 'my-editor/1.0 (test)' };
    const { body } = await api.post(core('configmaps'), configMap('managed', { data: { a: '1' } }), {
      headers,
    });
    expect(
      (body.metadata as { managedFields?: object[] }).managedFields?.map((each) => ({ ...each, time: 'T' })),
    ).toEqual([
      {
        manager: 'my-editor',
        operation: 'Update',
        apiVersion: 'v1',
        time: 'T',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { '.': {}, 'f:a': {} } },
      },
    ]);
  });

  it('a field manager’s name is at most 128 characters', async (target) => {
    const query = { fieldManager: tooLong(129) };
    refused(
      target,
      await target.api.post(target.core('configmaps'), configMap('x'), { query }),
      invalid('CreateOptions.meta.k8s.io', '', 'fieldManager: Too long: may not be more than 128 bytes'),
    );
  });
});
