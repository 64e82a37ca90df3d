import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, secret } from '../objects.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  invalid,
  modified,
  notFound,
  refused,
  refuses,
} from '../statuses.ts';
import type { Target } from '../target.ts';

const make = ({ api, core }: Target, name: string, more: object = {}) =>
  api.post(core('configmaps'), configMap(name, { data: { a: '1' }, ...more }));

contract('updates', (it) => {
  it('an update replaces the object and gives it a newer version', async (target) => {
    const { api, core } = target;
    const { body: before } = await make(target, 'replaced');
    const { code, body } = await api.put(
      core('configmaps/replaced'),
      configMap('replaced', { data: { b: '2' } }),
    );
    expect(code).toBe(200);
    expect(body).toMatchObject({ data: { b: '2' }, metadata: { uid: before.metadata.uid } });
    expect(body['data']).not.toHaveProperty('a');
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(before.metadata.resourceVersion));
  });

  it('a Lease that is given back has no holder, and a version to hold on to', async ({ api, group }) => {
    const leases = group('coordination.k8s.io/v1', 'leases');
    const held = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'held' } };
    const { body } = await api.post(leases, { ...held, spec: { holderIdentity: 'anna' } });
    const { code, body: free } = await api.put(`${leases}/held`, { ...body, spec: { holderIdentity: '' } });
    expect([code, free['spec']]).toEqual([200, { holderIdentity: '' }]);
  });

  it('an update with the latest version passes', async (target) => {
    const { body } = await make(target, 'latest');
    const object = { ...body, data: { a: '2' } };
    expect((await target.api.put(target.core('configmaps/latest'), object)).code).toBe(200);
  });

  it('an update with an older version is a conflict, and nothing changes', async (target) => {
    const { api, core } = target;
    const { body } = await make(target, 'raced');
    await api.patch(core('configmaps/raced'), 'merge', { data: { a: 'first' } });
    const answer = await api.put(core('configmaps/raced'), { ...body, data: { a: 'second' } });
    refused(target, answer, conflict('configmaps', 'raced', modified));
    expect((await api.get(core('configmaps/raced'))).body['data']).toEqual({ a: 'first' });
  });

  it('of two updates at once with the same version, one wins', async (target) => {
    const { api, core } = target;
    const { body } = await make(target, 'duel');
    const put = (a: string) => api.put(core('configmaps/duel'), { ...body, data: { a } });
    const answers = await Promise.all(['x', 'y', 'z'].map(put));
    expect(answers.map(({ code }) => code).sort()).toEqual([200, 409, 409]);
  });

  it('an update with a version that is no number is refused', async (target) => {
    await make(target, 'odd');
    const object = configMap({ name: 'odd', resourceVersion: 'abc' });
    refused(target, await target.api.put(target.core('configmaps/odd'), object), {
      code: 500,
      message: 'strconv.ParseUint: parsing "abc": invalid syntax',
    });
  });

  it('an update without a name is refused', async (target) => {
    await make(target, 'nameless');
    const { code, body } = await target.api.put(target.core('configmaps/nameless'), configMap({}));
    expect([code, body['message']]).toEqual([
      400,
      'the name of the object (nameless based on URL) was undeterminable: name must be provided',
    ]);
  });

  it('an update of another kind is refused', async (target) => {
    await make(target, 'kind');
    refused(
      target,
      await target.api.put(target.core('configmaps/kind'), secret('kind')),
      badRequest(
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ),
    );
  });

  it(
    'an object of another kind is not created',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), secret('x')),
      badRequest(
        'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
      ),
    ),
  );

  it(
    'an object of another version is not created',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), { ...configMap('x'), apiVersion: 'v2' }),
      badRequest(
        'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
      ),
    ),
  );

  it('an object without kind and version is taken for what the path says', async ({ api, core }) => {
    const { code, body } = await api.post(core('configmaps'), { metadata: { name: 'unspoken' } });
    expect(code).toBe(201);
    expect(body).toMatchObject({ kind: 'ConfigMap', apiVersion: 'v1' });
  });

  it('an update cannot bring back what is being deleted', async (target) => {
    const { api, core } = target;
    await make(target, 'going', { metadata: { name: 'going', finalizers: ['example.com/wait'] } });
    await api.delete(core('configmaps/going'));
    const { code, body } = await api.put(
      core('configmaps/going'),
      configMap({ name: 'going', finalizers: ['example.com/wait'] }),
    );
    expect(code).toBe(200);
    expect(body.metadata.deletionTimestamp).toBeDefined();
    await api.patch(core('configmaps/going'), 'merge', { metadata: { finalizers: null } });
  });

  it('a finalizer cannot be added to what is being deleted', async (target) => {
    const { api, core } = target;
    await make(target, 'late', { metadata: { name: 'late', finalizers: ['example.com/wait'] } });
    await api.delete(core('configmaps/late'));
    const object = configMap({ name: 'late', finalizers: ['example.com/wait', 'example.com/more'] });
    refused(
      target,
      await api.put(core('configmaps/late'), object),
      invalid(
        'ConfigMap',
        'late',
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/more"}',
      ),
    );
    await api.patch(core('configmaps/late'), 'merge', { metadata: { finalizers: null } });
  });

  it('dryRun creates nothing, and answers as if', async (target) => {
    const { api, core } = target;
    const { code, body } = await api.post(core('configmaps'), configMap('dry', { data: { a: '1' } }), {
      query: { dryRun: 'All' },
    });
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({ name: 'dry', uid: expect.any(String) });
    expect(body.metadata).not.toHaveProperty('resourceVersion');
    expect((await api.get(core('configmaps/dry'))).code).toBe(404);
  });

  it('dryRun changes nothing, and answers as if', async (target) => {
    const { api, core } = target;
    const { body: before } = await make(target, 'dry-update');
    const query = { dryRun: 'All' };
    const { code, body } = await api.put(
      core('configmaps/dry-update'),
      configMap('dry-update', { data: { a: '2' } }),
      { query },
    );
    expect([code, body['data']]).toEqual([200, { a: '2' }]);
    const patched = await api.patch(core('configmaps/dry-update'), 'merge', { data: { a: '3' } }, { query });
    expect([patched.code, patched.body['data']]).toEqual([200, { a: '3' }]);
    expect((await api.get(core('configmaps/dry-update'))).body).toEqual(before);
  });

  it('dryRun of a taken name is refused as the real thing is', async (target) => {
    await make(target, 'dry-taken');
    const answer = await target.api.post(target.core('configmaps'), configMap('dry-taken'), {
      query: { dryRun: 'All' },
    });
    refused(target, answer, alreadyExists('configmaps', 'dry-taken'));
  });

  it(
    'a dryRun that is not All is refused',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), configMap('x'), { query: { dryRun: 'Some' } }),
      invalid(
        'CreateOptions.meta.k8s.io',
        '',
        'dryRun: Unsupported value: ["Some"]: supported values: "All"',
      ),
    ),
  );

  it('a new object may be created by an update where its kind allows it', async ({ api, group }) => {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'put' } };
    const { code, body } = await api.put(group('coordination.k8s.io/v1', 'leases/put'), lease);
    expect([code, body.kind]).toEqual([201, 'Lease']);
  });

  it('an update of an object that has gone says so for its UID', async (target) => {
    const { api, core } = target;
    const { body } = await make(target, 'gone');
    await api.delete(core('configmaps/gone'));
    refused(target, await api.put(core('configmaps/gone'), body), notFound('configmaps', 'gone'));
  });
});
