import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { fruit, list, numbers } from '../fruit.ts';
import type { Query } from '../http.ts';
import { configMap, deployment } from '../objects.ts';
import { badRequest, invalid, notAllowed, notFound, type Refusal, refused, refuses } from '../statuses.ts';

contract('lists', (it) => {
  it('a list tells its kind and a version, and its items tell none', async (target) => {
    const { code, body } = await list(target, { labelSelector: 'number=3' });
    expect(code).toBe(200);
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'items']);
    expect(body).toMatchObject({ kind: 'ConfigMapList', apiVersion: 'v1' });
    expect(body.metadata).toEqual({ resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/) });
    expect(body.items[0]).not.toHaveProperty('kind');
    expect(body.items[0]).not.toHaveProperty('apiVersion');
    expect(body.items[0]).toMatchObject({ metadata: { name: 'fruit-3' }, data: { n: '3' } });
  });

  it('an empty list has an empty array of items', async (target) => {
    const { body } = await list(target, { labelSelector: 'set=none' });
    expect(body.items).toEqual([]);
  });

  it('items come in the order of their names', async (target) => {
    expect(numbers(await list(target, { labelSelector: 'set=fruit' }))).toBe('0123456789');
  });

  it('Deployments of all namespaces are one list', async (target) => {
    await target.api.post(
      target.apps('deployments'),
      deployment({ name: 'web', labels: { in: target.namespace } }),
    );
    const query = { labelSelector: `in=${target.namespace}` };
    const { body } = await target.api.get('/apis/apps/v1/deployments', { query });
    expect(body).toMatchObject({
      kind: 'DeploymentList',
      apiVersion: 'apps/v1',
      items: [{ metadata: { name: 'web' } }],
    });
  });

  it('a limit cuts the list into pages of one snapshot', async (target) => {
    const first = await list(target, { labelSelector: 'set=fruit', limit: '4' });
    expect(numbers(first)).toBe('0123');
    expect(first.body.metadata).not.toHaveProperty('remainingItemCount');
    await target.api.post(
      target.core('configmaps'),
      configMap({ name: 'fruit-99', labels: { set: 'fruit', number: '99' } }),
    );
    const page = (token = '') => list(target, { labelSelector: 'set=fruit', limit: '4', continue: token });
    const second = await page(first.body.metadata.continue);
    const third = await page(second.body.metadata.continue);
    await target.api.delete(target.core('configmaps/fruit-99'));
    expect([numbers(second), numbers(third)]).toEqual(['4567', '89']);
    expect(third.body.metadata).not.toHaveProperty('continue');
    expect(third.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
  });

  it('without selectors, a page tells how many items remain', async ({ api, group }) => {
    const leases = group('coordination.k8s.io/v1', 'leases');
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await api.post(leases, { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
    const { body } = await api.get(leases, { query: { limit: '2' } });
    expect(body.metadata.remainingItemCount).toBe(3);
  });

  it('a limit of 0 is no limit', async (target) => {
    expect(numbers(await list(target, { labelSelector: 'set=fruit', limit: '0' }))).toBe('0123456789');
  });

  it(
    'a limit that is no number is refused',
    refuses(
      (target) => list(target, { limit: 'many' }),
      badRequest('strconv.ParseInt: parsing "many": invalid syntax'),
    ),
  );

  it(
    'a continue token that is none is refused',
    refuses(
      (target) => list(target, { limit: '2', continue: 'abc' }),
      badRequest(
        "invalid continue token: continue key is not valid: invalid character 'i' looking for beginning of value",
      ),
    ),
  );

  it(
    'a continue token with a version that is none is refused',
    refuses(
      (target) =>
        list(target, {
          limit: '2',
          continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}').toString('base64url'),
        }),
      badRequest(
        'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
      ),
    ),
  );

  it(
    'a continue token that would leave its place is refused',
    refuses(
      (target) =>
        list(target, {
          limit: '2',
          continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"../secrets/x"}').toString('base64url'),
        }),
      badRequest('invalid continue token: continue key is not valid: ../secrets/x'),
    ),
  );

  it('a continue token without a version goes on with what there is now', async (target) => {
    const { api, core } = target;
    const { body } = await list(target, { labelSelector: 'set=fruit', limit: '4' });
    const token = JSON.parse(Buffer.from(body.metadata.continue ?? '', 'base64url').toString());
    await api.post(core('configmaps'), configMap({ name: 'zz-later', labels: { set: 'fruit' } }));
    const onward = Buffer.from(JSON.stringify({ ...token, rv: -1 })).toString('base64url');
    const rest = await list(target, { labelSelector: 'set=fruit', continue: onward });
    await api.delete(core('configmaps/zz-later'));
    expect(rest.body.items.map(({ metadata }) => metadata.name).at(-1)).toBe('zz-later');
    expect(rest.body.items).toHaveLength(7);
    expect(Number(rest.body.metadata.resourceVersion)).toBeGreaterThan(Number(body.metadata.resourceVersion));
  });

  it('a continue token and a resourceVersion exclude each other', async (target) => {
    const { body } = await list(target, { labelSelector: 'set=fruit', limit: '1' });
    const { continue: token = '', resourceVersion } = body.metadata;
    refused(
      target,
      await list(target, { limit: '1', continue: token, resourceVersion }),
      badRequest('specifying resource version is not allowed when using continue'),
    );
  });

  it('a list at resourceVersion 0 is any that the server has', async (target) => {
    const { code, body } = await list(target, { resourceVersion: '0', labelSelector: 'set=fruit' });
    expect(code).toBe(200);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(0);
  });

  it('a list not older than a version has what was written until then', async (target) => {
    await fruit(target);
    const { body } = await target.api.post(
      target.core('configmaps'),
      configMap({ name: 'fresh', labels: { fresh: 'y' } }),
    );
    const { resourceVersion } = body.metadata;
    const query = { resourceVersion, resourceVersionMatch: 'NotOlderThan', labelSelector: 'fresh=y' };
    expect((await list(target, query)).body.items).toHaveLength(1);
  });

  it('a list at an exact version shows the past', async (target) => {
    const { api, core } = target;
    await fruit(target);
    const { body: before } = await api.post(core('configmaps'), configMap('past', { data: { a: '1' } }));
    await api.patch(core('configmaps/past'), 'merge', { data: { a: '2' } });
    const { resourceVersion } = before.metadata;
    const query = { resourceVersion, resourceVersionMatch: 'Exact', fieldSelector: 'metadata.name=past' };
    const { body } = await list(target, query);
    expect(body.items).toMatchObject([{ data: { a: '1' }, metadata: { resourceVersion } }]);
    expect(body.metadata.resourceVersion).toBe(resourceVersion);
  });

  const badVersions: [why: string, query: Query, expected: Refusal][] = [
    [
      'a resourceVersion that is no number',
      { resourceVersion: 'new' },
      badRequest(
        'invalid resource version: resourceVersion: Invalid value: "new": strconv.ParseUint: parsing "new": invalid syntax',
      ),
    ],
    [
      'resourceVersionMatch without resourceVersion',
      { resourceVersionMatch: 'Exact' },
      invalid(
        'ListOptions.meta.k8s.io',
        '',
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      ),
    ],
    [
      'a resourceVersionMatch that is none',
      { resourceVersion: '1', resourceVersionMatch: 'Newer' },
      invalid(
        'ListOptions.meta.k8s.io',
        '',
        'resourceVersionMatch: Unsupported value: "Newer": supported values: "Exact", "NotOlderThan", ""',
      ),
    ],
    [
      'an exact match of version 0',
      { resourceVersion: '0', resourceVersionMatch: 'Exact' },
      invalid(
        'ListOptions.meta.k8s.io',
        '',
        'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
      ),
    ],
    [
      'sendInitialEvents outside of a watch',
      { sendInitialEvents: 'true' },
      invalid(
        'ListOptions.meta.k8s.io',
        '',
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
      ),
    ],
  ];

  for (const [why, query, expected] of badVersions)
    it(
      `${why} is refused`,
      refuses((target) => list(target, query), expected),
    );

  it('a get of a version that was not reached yet is refused after a moment', async (target) => {
    await fruit(target);
    const answer = await target.api.get(target.core('configmaps/fruit-1'), {
      query: { resourceVersion: '999999999' },
    });
    const message = answer.text.replace(/current: \d+/, 'current: 1');
    refused(
      target,
      { ...answer, text: message },
      {
        code: 504,
        reason: 'Timeout',
        message: 'Timeout: Too large resource version: 999999999, current: 1',
        details: {
          causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
          retryAfterSeconds: 1,
        },
      },
    );
  });

  it(
    'what is not there is not found',
    refuses(({ api, core }) => api.get(core('configmaps/nobody')), notFound('configmaps', 'nobody')),
  );

  it(
    'a Deployment that is not there is not found, with its group',
    refuses(({ api, apps }) => api.get(apps('deployments/nobody')), notFound('deployments.apps', 'nobody')),
  );

  it('of a kind that is not there, the server could not find the resource', async ({ api, core }) => {
    const { code, text, headers } = await api.get(core('nonsense'));
    expect([code, text, headers['content-type']]).toEqual([
      404,
      '{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}\n',
      'application/json',
    ]);
  });

  it('a group that is not there is a plain 404', async ({ api }) => {
    const { code, text } = await api.get('/apis/nonsense.example.com/v1/things');
    expect([code, text]).toEqual([404, '404 page not found\n']);
  });

  it('a HEAD is not allowed', async ({ api, core }) => {
    const { code, text } = await api.call({ method: 'HEAD', path: core('configmaps') });
    expect([code, text]).toEqual([405, '']);
  });

  it(
    'a verb that a collection does not know is refused',
    refuses(({ api, core }) => api.put(core('configmaps'), configMap('x')), notAllowed),
  );

  it(
    'a verb that an object does not know is refused',
    refuses(({ api, core }) => api.post(core('configmaps/x'), configMap('x')), notAllowed),
  );
});
