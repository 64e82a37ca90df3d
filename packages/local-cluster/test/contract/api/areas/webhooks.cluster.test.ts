import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap, deployment } from '../objects.ts';
import { internalError, invalid, type Refusal, refused } from '../statuses.ts';
import { once, type Target } from '../target.ts';
import { labelValue } from '../texts.ts';
import { configuration, type Hook, pathOf } from '../webhook-objects.ts';
import { startWebhookServer } from '../webhook-server.ts';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');

const patch = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: base64(operations),
});

const addLabel = (key: string, value: string) => ({ op: 'add', path: `/metadata/labels/${key}`, value });

/** Each hook is called only for objects whose label `hook` is its name. */
const hooks: Record<string, Hook> = {
  allow: { type: 'Validating', verdict: () => ({ allowed: true }) },
  deny: { type: 'Validating', verdict: () => ({ allowed: false }) },
  'deny-message': {
    type: 'Validating',
    verdict: () => ({ allowed: false, status: { message: 'not on a Friday' } }),
  },
  'deny-status': {
    type: 'Validating',
    verdict: () => ({
      allowed: false,
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'no good',
        details: { causes: [{ field: 'data', message: 'empty' }] },
      },
    }),
  },
  warn: {
    type: 'Validating',
    verdict: () => ({ allowed: true, warnings: ['mind the gap', 'and "the" step'] }),
  },
  'wrong-uid': { type: 'Validating', verdict: () => ({ allowed: true, uid: 'another' }) },
  garbage: { type: 'Validating', verdict: () => 'not JSON' },
  dead: { type: 'Validating', verdict: () => undefined },
  'dead-ignored': { type: 'Validating', verdict: () => undefined, more: { failurePolicy: 'Ignore' } },
  label: { type: 'Mutating', verdict: () => patch(addLabel('mutated', 'yes')) },
  'bad-patch': { type: 'Mutating', verdict: () => patch({ op: 'remove', path: '/nothing/here' }) },
  'bad-object': { type: 'Mutating', verdict: () => patch(addLabel('mutated', 'not a value')) },
  'no-patch-type': { type: 'Mutating', verdict: () => ({ allowed: true, patch: base64([]) }) },
  'deny-mutating': {
    type: 'Mutating',
    verdict: () => ({ allowed: false, status: { message: 'no mutation' } }),
  },
  condition: {
    type: 'Validating',
    verdict: () => ({ allowed: false, status: { message: 'condition held' } }),
    more: {
      matchConditions: [{ name: 'has-data', expression: "has(object.data) && 'stop' in object.data" }],
    },
  },
  deletes: {
    type: 'Validating',
    verdict: ({ oldObject, object }) => ({
      allowed: false,
      status: { message: `old ${oldObject?.metadata.name}, new ${object}` },
    }),
    more: {
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] }],
    },
  },
  'side-effects': {
    type: 'Validating',
    verdict: () => ({ allowed: true }),
    more: { sideEffects: 'NoneOnDryRun' },
  },
};

const hooked = (hook: string, name: string, more: object = {}) => configMap({ name, labels: { hook } }, more);

/** Installs all hooks, and waits until the API server calls each of them. */
const installed = once(async (target: Target) => {
  const server = await startWebhookServer(
    Object.fromEntries(Object.entries(hooks).map(([name, { verdict }]) => [name, verdict])),
  );
  target.onClose(() => server.close());
  for (const [name, hook] of Object.entries(hooks))
    await target.createForAll(
      pathOf(hook.type),
      configuration(target, name, hook, server.url, server.caBundle),
    );
  const { api, core } = target;
  await api.post(core('configmaps'), hooked('deletes', 'undeletable'));
  for (const name of Object.keys(hooks))
    await waitFor(`the hook ${name} is called`, async () => {
      if (name === 'deletes')
        await api.delete(core('configmaps/undeletable'), undefined, { query: { dryRun: 'All' } });
      else
        await api.post(core('configmaps'), hooked(name, 'probe', { data: { stop: '' } }), {
          query: { dryRun: 'All' },
        });
      return server.requests(name).length > 0 ? { met: true } : { seen: 'not called' };
    });
  return server;
});

async function create(target: Target, hook: string, name = hook, more: object = {}) {
  await installed(target);
  return target.api.post(target.core('configmaps'), hooked(hook, name, more));
}

/** Replaces addresses, UIDs and parser messages, which differ in every run or between the engines. */
const plain = <T extends { text: string }>(answer: T): T => ({
  ...answer,
  text: answer.text
    .replaceAll(/127\.0\.0\.1:\d+/g, 'ADDRESS')
    .replaceAll(/json parse error: (?:[^"\\]|\\.)*/g, 'json parse error: …')
    .replaceAll(/expected response.uid=[^,]*, got/g, 'expected response.uid=UID, got'),
});

const refusals: [what: string, hook: string, expected: Refusal][] = [
  [
    'says no',
    'deny',
    { code: 400, message: 'admission webhook "deny.example.com" denied the request without explanation' },
  ],
  [
    'says no and why',
    'deny-message',
    {
      code: 400,
      message: 'admission webhook "deny-message.example.com" denied the request: not on a Friday',
    },
  ],
  [
    'answers a Status',
    'deny-status',
    {
      code: 422,
      reason: 'Invalid',
      message: 'admission webhook "deny-status.example.com" denied the request: no good',
      details: { causes: [{ message: 'empty', field: 'data' }] },
    },
  ],
  [
    'answers another UID',
    'wrong-uid',
    internalError(
      'failed calling webhook "wrong-uid.example.com": received invalid webhook response: expected response.uid=UID, got "another"',
    ),
  ],
  [
    'answers no JSON',
    'garbage',
    internalError(
      `failed calling webhook "garbage.example.com": failed to call webhook: couldn't get version/kind; json parse error: …`,
    ),
  ],
  [
    'breaks the connection',
    'dead',
    internalError(
      'failed calling webhook "dead.example.com": failed to call webhook: Post "https://ADDRESS/dead?timeout=10s": EOF',
    ),
  ],
  [
    'makes a patch that cannot be done',
    'bad-patch',
    internalError('remove operation does not apply: doc is missing path: "/nothing/here": missing value'),
  ],
  [
    'makes an invalid object',
    'bad-object',
    invalid('ConfigMap', 'bad-object', `metadata.labels: Invalid value: "not a value": ${labelValue}`),
  ],
  [
    'forgets the type of its patch',
    'no-patch-type',
    internalError(
      'failed calling webhook "no-patch-type.example.com": received invalid webhook response: webhook returned response.patch but not response.patchType',
    ),
  ],
  [
    'mutates, and says no',
    'deny-mutating',
    { code: 400, message: 'admission webhook "deny-mutating.example.com" denied the request: no mutation' },
  ],
];

contract('webhooks', (it) => {
  it('a webhook is asked, with everything that it may want to know', async (target) => {
    const server = await installed(target);
    const { code } = await create(target, 'allow', 'asked', { data: { a: '1' } });
    expect(code).toBe(201);
    const request = server.requests('allow').at(-1);
    expect(request).toMatchObject({
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      name: 'asked',
      namespace: target.namespace,
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'asked' }, data: { a: '1' } },
      oldObject: null,
      dryRun: false,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
    expect(request?.userInfo.groups).toContain('system:authenticated');
  });

  it('of an update, a webhook sees old and new', async (target) => {
    const server = await installed(target);
    await create(target, 'allow', 'updated', { data: { a: '1' } });
    await target.api.patch(target.core('configmaps/updated'), 'merge', { data: { a: '2' } });
    expect(server.requests('allow').at(-1)).toMatchObject({
      operation: 'UPDATE',
      oldObject: { data: { a: '1' } },
      object: { data: { a: '2' } },
      options: { kind: 'UpdateOptions' },
    });
  });

  it('a dry run is told as such', async (target) => {
    const server = await installed(target);
    await target.api.post(target.core('configmaps'), hooked('allow', 'dry'), { query: { dryRun: 'All' } });
    expect(server.requests('allow').at(-1)).toMatchObject({ dryRun: true, name: 'dry' });
  });

  it('a Scale has no labels, so a selector does not find it', async (target) => {
    const server = await installed(target);
    const { api, apps } = target;
    await api.post(apps('deployments'), deployment({ name: 'scaled', labels: { hook: 'allow' } }));
    const { code } = await api.patch(apps('deployments/scaled/scale'), 'merge', { spec: { replicas: 0 } });
    expect(code).toBe(200);
    const reviewed = server.requests('allow').filter(({ name }) => name === 'scaled');
    expect(reviewed.map(({ operation, subResource }) => [operation, subResource])).toEqual([
      ['CREATE', undefined],
    ]);
  });

  for (const [what, hook, expected] of refusals)
    it(`when a webhook ${what}, nothing is written`, async (target) => {
      refused(target, plain(await create(target, hook)), expected);
      expect((await target.api.get(target.core(`configmaps/${hook}`))).code).toBe(404);
    });

  it('a webhook that may fail is left out when it does', async (target) => {
    expect((await create(target, 'dead-ignored')).code).toBe(201);
  });

  it('warnings reach the client', async (target) => {
    const { code, headers } = await create(target, 'warn');
    expect(code).toBe(201);
    expect(headers['warning']).toEqual('299 - "mind the gap", 299 - "and \\"the\\" step"');
  });

  it('a patch changes what is written', async (target) => {
    const { code, body } = await create(target, 'label');
    expect([code, body.metadata.labels]).toEqual([201, { hook: 'label', mutated: 'yes' }]);
  });

  it('a match condition decides whether a webhook is asked', async (target) => {
    expect((await create(target, 'condition', 'go')).code).toBe(201);
    refused(target, await create(target, 'condition', 'stop', { data: { stop: '' } }), {
      code: 400,
      message: 'admission webhook "condition.example.com" denied the request: condition held',
    });
  });

  it('a deletion is reviewed with the old object', async (target) => {
    await installed(target);
    refused(target, await target.api.delete(target.core('configmaps/undeletable')), {
      code: 400,
      message: 'admission webhook "deletes.example.com" denied the request: old undeletable, new null',
    });
  });

  it('each of a collection is reviewed before its deletion', async (target) => {
    await installed(target);
    const query = { labelSelector: 'hook=deletes' };
    refused(target, await target.api.delete(target.core('configmaps'), undefined, { query }), {
      code: 400,
      message: 'admission webhook "deletes.example.com" denied the request: old undeletable, new null',
    });
  });

  it('objects and namespaces that are not selected are not asked about', async (target) => {
    await installed(target);
    expect((await target.api.post(target.core('configmaps'), hooked('nobody', 'free'))).code).toBe(201);
  });
});
