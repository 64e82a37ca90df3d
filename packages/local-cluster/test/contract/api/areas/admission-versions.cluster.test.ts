import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { binding, bindings, policies, policy } from '../policy-objects.ts';
import { once, type Target } from '../target.ts';
import { configuration, type Hook, pathOf } from '../webhook-objects.ts';
import { startWebhookServer } from '../webhook-server.ts';
import { groupOf, widget, widgets } from '../widgets.ts';

type Version = 'v1' | 'v1beta1';

const rules = (target: Target) => [
  {
    apiGroups: [groupOf(target)],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['widgets'],
  },
];

const hooks: Record<string, Hook> = {
  equivalent: { type: 'Validating', verdict: () => ({ allowed: true }) },
  exact: { type: 'Validating', verdict: () => ({ allowed: true }), more: { matchPolicy: 'Exact' } },
  mutating: {
    type: 'Mutating',
    verdict: () => ({
      allowed: true,
      patchType: 'JSONPatch',
      patch: Buffer.from('[{"op":"replace","path":"/spec/size","value":7}]').toString('base64'),
    }),
  },
};

const why = { messageExpression: "object.apiVersion + ' of ' + request.requestKind.version" };

/** Denies all matching requests; the message contains the version that the policy sees. */
const denying = (target: Target, matchPolicy: string) => ({
  matchConstraints: { matchPolicy, resourceRules: rules(target) },
  validations: [{ expression: 'false', ...why }],
});

const create = (target: Target, version: Version, name: string, labels: object, dryRun = false) => {
  const apiVersion = `${groupOf(target)}/${version}`;
  return target.api.post(
    target.group(apiVersion, 'widgets'),
    { ...widget(target, name), apiVersion, metadata: { name, labels } },
    dryRun ? { query: { dryRun: 'All' } } : {},
  );
};

/** All hooks and policies match v1 of a kind that also has v1beta1. */
const installed = once(async (target: Target) => {
  await widgets(target);
  const verdicts = Object.entries(hooks).map(([name, { verdict }]) => [name, verdict] as const);
  const server = await startWebhookServer(Object.fromEntries(verdicts));
  target.onClose(() => server.close());
  for (const [name, hook] of Object.entries(hooks)) {
    const more = { ...hook.more, rules: rules(target) };
    await target.createForAll(
      pathOf(hook.type),
      configuration(target, name, { ...hook, more }, server.url, server.caBundle),
    );
  }
  for (const matchPolicy of ['Equivalent', 'Exact']) {
    const name = `policy-${matchPolicy.toLowerCase()}`;
    await target.createForAll(policies, policy(target, name, denying(target, matchPolicy)));
    await target.createForAll(bindings, binding(target, name));
  }
  for (const name of Object.keys(hooks))
    await waitFor(`the hook ${name} is called`, async () => {
      await create(target, 'v1', 'probe', { hook: name }, true);
      return server.requests(name).length > 0 ? { met: true } : { seen: 'not called' };
    });
  for (const name of ['policy-equivalent', 'policy-exact'])
    await waitFor(`${name} is in force`, async () => {
      const { code } = await create(target, 'v1', 'probe', { policy: name }, true);
      return code === 422 ? { met: true } : { seen: String(code) };
    });
  return server;
});

contract('admission of other versions', (it) => {
  it('a webhook that asks for v1 sees what is written as v1beta1 in the version that it knows', async (target) => {
    const server = await installed(target);
    const group = groupOf(target);
    expect((await create(target, 'v1beta1', 'other', { hook: 'equivalent' })).code).toBe(201);
    expect(server.requests('equivalent').at(-1)).toMatchObject({
      name: 'other',
      kind: { group, version: 'v1', kind: 'Widget' },
      resource: { group, version: 'v1', resource: 'widgets' },
      requestKind: { group, version: 'v1beta1', kind: 'Widget' },
      requestResource: { group, version: 'v1beta1', resource: 'widgets' },
      object: { apiVersion: `${group}/v1`, metadata: { name: 'other' } },
    });
  });

  it('of an update, it sees old and new so', async (target) => {
    const server = await installed(target);
    const group = groupOf(target);
    await create(target, 'v1beta1', 'changed', { hook: 'equivalent' });
    const path = target.group(`${group}/v1beta1`, 'widgets/changed');
    expect((await target.api.patch(path, 'merge', { spec: { size: 2 } })).code).toBe(200);
    expect(server.requests('equivalent').at(-1)).toMatchObject({
      operation: 'UPDATE',
      object: { apiVersion: `${group}/v1`, spec: { size: 2 } },
      oldObject: { apiVersion: `${group}/v1`, spec: { size: 1 } },
    });
  });

  it('a webhook that wants exactly v1 is not asked about v1beta1', async (target) => {
    const server = await installed(target);
    expect((await create(target, 'v1beta1', 'missed', { hook: 'exact' })).code).toBe(201);
    expect((await create(target, 'v1', 'seen', { hook: 'exact' })).code).toBe(201);
    const names = server.requests('exact').map(({ name }) => name);
    expect(names).toContain('seen');
    expect(names).not.toContain('missed');
  });

  it('what a webhook changes in one version is changed in the other', async (target) => {
    await installed(target);
    const { code, body } = await create(target, 'v1beta1', 'mutated', { hook: 'mutating' });
    expect([code, body.apiVersion, body['spec']]).toMatchObject([
      201,
      `${groupOf(target)}/v1beta1`,
      { size: 7 },
    ]);
  });

  it('a policy about v1 is about v1beta1, too, unless it says exactly', async (target) => {
    await installed(target);
    const { code, body } = await create(target, 'v1beta1', 'denied', { policy: 'policy-equivalent' });
    expect([code, String(body['message'])]).toEqual([
      422,
      expect.stringContaining(`denied request: ${groupOf(target)}/v1 of v1beta1`),
    ]);
    expect((await create(target, 'v1beta1', 'let-in', { policy: 'policy-exact' })).code).toBe(201);
  });
});
