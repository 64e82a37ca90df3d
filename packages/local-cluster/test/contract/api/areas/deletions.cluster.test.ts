import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment, nowhere, pod } from '../objects.ts';
import {
  badRequest,
  conflict,
  forbidden,
  invalid,
  notAllowed,
  notFound,
  type Refusal,
  refused,
  refuses,
} from '../statuses.ts';
import type { Target } from '../target.ts';

const make = async ({ api, core }: Target, name: string, metadata: object = {}) =>
  (await api.post(core('configmaps'), configMap({ name, ...metadata }))).body.metadata;
const exists = async ({ api, core }: Target, name: string) =>
  (await api.get(core(`configmaps/${name}`))).code === 200;
const options = (more: object) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...more });
const held = { finalizers: ['example.com/wait'] };
const release = ({ api, core }: Target, path: string) =>
  api.patch(core(path), 'merge', { metadata: { finalizers: null } });

contract('deletions', (it) => {
  it('a deletion answers a Status that tells what has gone', async (target) => {
    const { uid } = await make(target, 'plain');
    const { code, body } = await target.api.delete(target.core('configmaps/plain'));
    expect(code).toBe(200);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'plain', kind: 'configmaps', uid },
    });
    expect(await exists(target, 'plain')).toBe(false);
  });

  it(
    'what is not there cannot be deleted',
    refuses(({ api, core }) => api.delete(core('configmaps/nobody')), notFound('configmaps', 'nobody')),
  );

  it('the name is free again, for an object with a new UID', async (target) => {
    const { uid } = await make(target, 'again');
    await target.api.delete(target.core('configmaps/again'));
    expect((await make(target, 'again')).uid).not.toBe(uid);
  });

  it('dryRun deletes nothing', async (target) => {
    await make(target, 'dry');
    const { code } = await target.api.delete(target.core('configmaps/dry'), options({ dryRun: ['All'] }));
    expect([code, await exists(target, 'dry')]).toEqual([200, true]);
  });

  it('dryRun in the query deletes nothing, either', async (target) => {
    await make(target, 'dry-query');
    await target.api.delete(target.core('configmaps/dry-query'), undefined, { query: { dryRun: 'All' } });
    expect(await exists(target, 'dry-query')).toBe(true);
  });

  it('a precondition on the UID that fails is a conflict', async (target) => {
    await make(target, 'uid');
    const answer = await target.api.delete(
      target.core('configmaps/uid'),
      options({ preconditions: { uid: '00000000-0000-4000-8000-000000000000' } }),
    );
    refused(
      target,
      answer,
      conflict(
        'ConfigMap',
        'uid',
        'the UID in the precondition (UID) does not match the UID in record (UID). The object might have been deleted and then recreated',
      ),
    );
  });

  it('a precondition on the version that fails is a conflict', async (target) => {
    await make(target, 'version');
    const answer = await target.api.delete(
      target.core('configmaps/version'),
      options({ preconditions: { resourceVersion: '1' } }),
    );
    refused(
      target,
      {
        ...answer,
        text: answer.text.replace(/in record \(\d+\)/, 'in record (2)'),
      },
      conflict(
        'ConfigMap',
        'version',
        'the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (2). The object might have been modified',
      ),
    );
  });

  it('preconditions that hold let the deletion pass', async (target) => {
    const { uid, resourceVersion } = await make(target, 'both');
    const answer = await target.api.delete(
      target.core('configmaps/both'),
      options({ preconditions: { uid, resourceVersion } }),
    );
    expect(answer.code).toBe(200);
  });

  it('a finalizer holds the object, and the answer is the object', async (target) => {
    await make(target, 'held', held);
    const { code, body } = await target.api.delete(target.core('configmaps/held'));
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0, ...held },
    });
    expect(await exists(target, 'held')).toBe(true);
    const { code: released } = await release(target, 'configmaps/held');
    expect([released, await exists(target, 'held')]).toEqual([200, false]);
  });

  it('a second deletion of what is held changes nothing', async (target) => {
    await make(target, 'twice', held);
    const { body: first } = await target.api.delete(target.core('configmaps/twice'));
    const { code, body } = await target.api.delete(target.core('configmaps/twice'));
    expect([code, body.metadata.resourceVersion]).toEqual([200, first.metadata.resourceVersion]);
    await release(target, 'configmaps/twice');
  });

  it('orphan and foreground are finalizers that wait for the garbage collector', async (target) => {
    for (const [policy, finalizer] of [
      ['Orphan', 'orphan'],
      ['Foreground', 'foregroundDeletion'],
    ] as const) {
      const name = finalizer.toLowerCase();
      await make(target, name, held);
      const { body } = await target.api.delete(
        target.core(`configmaps/${name}`),
        options({ propagationPolicy: policy }),
      );
      expect(body.metadata.finalizers?.toSorted()).toEqual(['example.com/wait', finalizer].toSorted());
      await release(target, `configmaps/${name}`);
    }
  });

  it('the propagation may be told in the query', async (target) => {
    await make(target, 'query', held);
    const query = { propagationPolicy: 'Foreground' };
    const { body } = await target.api.delete(target.core('configmaps/query'), undefined, { query });
    expect(body.metadata.finalizers).toContain('foregroundDeletion');
    await release(target, 'configmaps/query');
  });

  it('background deletion removes a Deployment at once', async ({ api, apps }) => {
    await api.post(apps('deployments'), deployment('background'));
    const { body } = await api.delete(
      apps('deployments/background'),
      options({ propagationPolicy: 'Background' }),
    );
    expect([body.kind, body['status'], (body['details'] as { group: string }).group]).toEqual([
      'Status',
      'Success',
      'apps',
    ]);
    expect((await api.get(apps('deployments/background'))).code).toBe(404);
  });

  const badOptions: [why: string, more: object, expected: Refusal][] = [
    [
      'a propagation policy that is none',
      { propagationPolicy: 'Sideways' },
      invalid(
        'DeleteOptions.meta.k8s.io',
        '',
        'propagationPolicy: Unsupported value: "Sideways": supported values: "Foreground", "Background", "Orphan", "nil"',
      ),
    ],
    [
      'both ways to tell the propagation',
      { propagationPolicy: 'Orphan', orphanDependents: true },
      invalid(
        'DeleteOptions.meta.k8s.io',
        '',
        'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
      ),
    ],
    [
      'a dryRun that is none',
      { dryRun: ['Some'] },
      invalid(
        'DeleteOptions.meta.k8s.io',
        '',
        'dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ),
    ],
    [
      'a body of another kind',
      { kind: 'ConfigMap' },
      badRequest('no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'),
    ],
    [
      'a field of another type',
      { gracePeriodSeconds: 'soon' },
      badRequest(
        'json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64',
      ),
    ],
  ];
  for (const [why, more, expected] of badOptions)
    it(`a deletion with ${why} is refused`, async (target) => {
      await make(target, 'options');
      refused(target, await target.api.delete(target.core('configmaps/options'), options(more)), expected);
    });

  it('a pod that nobody runs goes at once', async ({ api, core }) => {
    await api.post(core('pods'), pod('unscheduled'));
    const { code, body } = await api.delete(core('pods/unscheduled'));
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Pod',
      metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: expect.any(String) },
    });
    expect((await api.get(core('pods/unscheduled'))).code).toBe(404);
  });

  it('a pod on a node gets its grace, which can be cut short but not made longer', async (target) => {
    const { api, core } = target;
    const spec = { nodeName: nowhere(target), terminationGracePeriodSeconds: 50 };
    await api.post(core('pods'), pod('graceful', spec));
    const grace = async (more?: object) =>
      (await api.delete(core('pods/graceful'), more && options(more))).body.metadata;
    const first = await grace();
    expect(first.deletionGracePeriodSeconds).toBe(50);
    const lead = Date.parse(first.deletionTimestamp ?? '') - Date.parse(first.creationTimestamp);
    expect(lead).toBeGreaterThanOrEqual(50_000);
    expect((await grace({ gracePeriodSeconds: 20 })).deletionGracePeriodSeconds).toBe(20);
    expect((await grace({ gracePeriodSeconds: 40 })).deletionGracePeriodSeconds).toBe(20);
    await grace({ gracePeriodSeconds: 0 });
    expect((await api.get(core('pods/graceful'))).code).toBe(404);
  });

  it('a collection is deleted by its labels', async (target) => {
    for (const [name, set] of [
      ['c1', 'x'],
      ['c2', 'x'],
      ['c3', 'y'],
    ] as const)
      await make(target, name, { labels: { set } });
    const { code, body } = await target.api.delete(target.core('configmaps'), undefined, {
      query: { labelSelector: 'set=x' },
    });
    expect(code).toBe(200);
    expect(body.kind).toBe('ConfigMapList');
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['c1', 'c2']);
    expect([await exists(target, 'c1'), await exists(target, 'c3')]).toEqual([false, true]);
  });

  it('a collection is deleted by a field', async (target) => {
    await make(target, 'f1');
    await make(target, 'f2');
    await target.api.delete(target.core('configmaps'), undefined, {
      query: { fieldSelector: 'metadata.name=f1' },
    });
    expect([await exists(target, 'f1'), await exists(target, 'f2')]).toEqual([false, true]);
  });

  it('dryRun of a collection deletes nothing', async (target) => {
    await make(target, 'dc', { labels: { set: 'dry' } });
    const query = { labelSelector: 'set=dry', dryRun: 'All' };
    const { code } = await target.api.delete(target.core('configmaps'), undefined, { query });
    expect([code, await exists(target, 'dc')]).toEqual([200, true]);
  });

  it('in a collection, finalizers hold what they hold', async (target) => {
    await make(target, 'h1', { labels: { set: 'held' }, ...held });
    await make(target, 'h2', { labels: { set: 'held' } });
    await target.api.delete(target.core('configmaps'), undefined, { query: { labelSelector: 'set=held' } });
    expect([await exists(target, 'h1'), await exists(target, 'h2')]).toEqual([true, false]);
    await release(target, 'configmaps/h1');
  });

  it(
    'a collection of all namespaces cannot be deleted at once',
    refuses(({ api }) => api.delete('/api/v1/configmaps'), notAllowed),
  );

  it(
    'namespaces cannot be deleted as a collection',
    refuses(({ api }) => api.delete('/api/v1/namespaces'), notAllowed),
  );

  it('a namespace that goes is Terminating first, and takes no new objects', async (target) => {
    const { api } = target;
    const name = `${target.namespace}-going`;
    const path = `/api/v1/namespaces/${name}`;
    await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await api.post(`${path}/configmaps`, configMap({ name: 'stay', ...held }));
    const { code, body } = await api.delete(path);
    expect([code, body.kind, body['status']]).toEqual([200, 'Namespace', { phase: 'Terminating' }]);
    const late = await api.post(`${path}/configmaps`, configMap('late'));
    refused(target, late, {
      code: 403,
      reason: 'Forbidden',
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace NAMESPACE-going because it is being terminated',
      details: {
        name: 'late',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace NAMESPACE-going is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
    await api.patch(`${path}/configmaps/stay`, 'merge', { metadata: { finalizers: null } });
  });

  it('a namespace keeps its finalizer in its spec', async ({ api, namespace }) => {
    const { body } = await api.get(`/api/v1/namespaces/${namespace}`);
    expect(body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': namespace } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it(
    'the namespace default cannot be deleted',
    refuses(
      ({ api }) => api.delete('/api/v1/namespaces/default'),
      forbidden('namespaces', 'default', 'this namespace may not be deleted'),
    ),
  );
});
