import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, secret } from '../objects.ts';
import { notFound, refuses } from '../statuses.ts';
import { asTable, cells, objects, type Table, table, tableOf } from '../table-objects.ts';

const orJson = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

contract('tables', (it) => {
  it('a table is a table in all its fields', async (target) => {
    const { body, headers } = await table(target, target.core('configmaps/foo'));
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'columnDefinitions', 'rows']);
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(headers['content-type']).toBe('application/json');
    const { columnDefinitions } = body as unknown as Table;
    expect(columnDefinitions[0]).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 });
    expect(columnDefinitions[0]?.description).toMatch(/^Name must be unique within a namespace/);
  });

  it('a row carries the metadata of its object', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'));
    expect(tableOf(answer).rows[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'foo' },
    });
  });

  it('includeObject=Object carries all of it', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'), { includeObject: 'Object' });
    expect(tableOf(answer).rows[0]?.object).toMatchObject({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      data: { a: '1' },
    });
  });

  it('includeObject=None carries nothing', async (target) => {
    const answer = await table(target, target.core('configmaps/foo'), { includeObject: 'None' });
    expect(tableOf(answer).rows[0]?.object ?? 'nothing').toEqual('nothing');
  });

  it('a list is a table with a row for each, in pages, too', async (target) => {
    await objects(target);
    await target.api.post(target.core('configmaps'), configMap('goo'));
    const answer = await table(target, target.core('configmaps'), {
      fieldSelector: 'metadata.name!=kube-root-ca.crt',
      limit: '1',
    });
    expect(cells(answer)).toEqual([['foo', 3, 'AGE']]);
    expect(answer.body.metadata.continue).toEqual(expect.any(String));
  });

  it('an empty list is a table without rows', async (target) => {
    const answer = await table(target, target.core('configmaps'), { labelSelector: 'no=such' });
    expect(tableOf(answer).rows).toEqual([]);
  });

  it(
    'a Status is never a table',
    refuses(
      ({ api, core }) => api.get(core('configmaps/nobody'), { headers: orJson }),
      notFound('configmaps', 'nobody'),
    ),
  );

  it('a watch tells tables, and the columns only once', async (target) => {
    const { api, core } = target;
    await using watch = await api.watch(core('secrets'), { fieldSelector: 'metadata.name=watched' }, asTable);
    await api.post(core('secrets'), secret('watched'));
    await api.patch(core('secrets/watched'), 'merge', { data: { a: 'eA==' } });
    const events = await watch.next(2);
    const told = events.map(({ type, object }) => [
      type,
      object.kind,
      (object as unknown as Table).columnDefinitions?.length ?? 0,
      (object as unknown as Table).rows[0]?.cells[2],
    ]);
    expect(told).toEqual([
      ['ADDED', 'Table', 4, 0],
      ['MODIFIED', 'Table', 0, 1],
    ]);
  });

  it('a deployment’s -o wide columns tell containers, images and selector', async (target) => {
    const answer = await table(target, target.apps('deployments/foo'));
    expect(cells(answer)[0]?.slice(-3)).toEqual(['app', 'app:1', 'app=app']);
  });

  it('later tables of a watch have no columns at all', async ({ api, core }) => {
    await using watch = await api.watch(core('secrets'), { fieldSelector: 'metadata.name=again' }, asTable);
    await api.post(core('secrets'), secret('again'));
    await api.patch(core('secrets/again'), 'merge', { data: { a: 'eA==' } });
    const [, second] = await watch.next(2);
    expect(second?.object).toMatchObject({ kind: 'Table', columnDefinitions: null });
  });

  it('tables are told in their older version, too, rows included', async (target) => {
    await objects(target);
    const accept = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
    const { code, body } = await target.api.get(target.core('configmaps/foo'), { headers: { accept } });
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1beta1',
      rows: [{ object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1beta1' } }],
    });
  });

  it('a question has no table, and its answer can be had as metadata', async ({ api }) => {
    const ask = (as: string) =>
      api.post(
        '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { nonResourceAttributes: { path: '/', verb: 'get' } },
        },
        { headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } },
      );
    const refused = await ask('Table');
    expect([refused.code, refused.body['message']]).toEqual([
      406,
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ]);
    const answered = await ask('PartialObjectMetadata');
    expect([answered.code, answered.body.kind]).toEqual([201, 'PartialObjectMetadata']);
  });

  it('a version of tables that is none is not acceptable', async (target) => {
    const { code, body } = await target.api.get(target.core('configmaps'), {
      headers: { accept: 'application/json;as=Table;v=v9;g=meta.k8s.io' },
    });
    expect([code, body['reason'], body['message']]).toEqual([
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    ]);
  });
});
