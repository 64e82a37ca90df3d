import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import {
  installMutatingPolicies,
  logOf,
  logs,
  type MutatingPolicy,
  patches,
  under,
} from '../mutating-policy-objects.ts';
import { once, type Target } from '../target.ts';
import { configuration, pathOf } from '../webhook-objects.ts';
import { startWebhookServer } from '../webhook-server.ts';

/** Policies of a case apply to the objects whose label `policy` is the name of the case. */
const forCase = (name: string) => ({
  matchResources: { objectSelector: { matchLabels: { policy: name } } },
});

const note = (key: string, expression: string) =>
  patches(`[JSONPatch{op: 'add', path: '/metadata/annotations/${key}', value: ${expression}}]`);

const ifNeeded = { reinvocationPolicy: 'IfNeeded' };

const all: Record<string, MutatingPolicy> = {
  never: { spec: { mutations: logs('never') } },
  'if-needed': { spec: { ...ifNeeded, mutations: logs('needed') } },
  'after-webhook': {
    spec: {
      ...ifNeeded,
      mutations: note('seen', "has(object.data) && 'hooked' in object.data ? 'yes' : 'no'"),
    },
  },
  'never-after-webhook': {
    spec: { mutations: note('seen', "has(object.data) && 'hooked' in object.data ? 'yes' : 'no'") },
  },
  'condition-after-webhook': {
    spec: {
      ...ifNeeded,
      matchConditions: [{ name: 'hooked', expression: "has(object.data) && 'hooked' in object.data" }],
      mutations: logs('condition'),
    },
  },
  'until-webhook': {
    spec: {
      ...ifNeeded,
      matchConditions: [{ name: 'not-hooked', expression: "!(has(object.data) && 'hooked' in object.data)" }],
      mutations: logs('until'),
    },
  },
  'one-of-two': {
    spec: {
      ...ifNeeded,
      mutations: note('one', "has(object.metadata.annotations.two) ? 'after' : 'before'"),
    },
  },
  'two-of-two': {
    spec: {
      ...ifNeeded,
      mutations: note('two', "has(object.metadata.annotations.one) ? 'after' : 'before'"),
    },
    binding: forCase('one-of-two'),
  },
  'before-webhook': { spec: { mutations: logs('policy') } },
};

const addData = Buffer.from(
  JSON.stringify([{ op: 'add', path: '/data', value: { hooked: 'yes' } }]),
).toString('base64');

const hooked = ['after-webhook', 'never-after-webhook', 'condition-after-webhook', 'until-webhook'];

/** Adds data to the objects of some policies, and only looks at those of the others. */
const installed = once(async (target: Target) => {
  const { api, core } = target;
  const server = await startWebhookServer({
    adds: () => ({ allowed: true, patchType: 'JSONPatch', patch: addData }),
    looks: () => ({ allowed: true }),
    again: () => ({ allowed: true }),
  });
  target.onClose(() => server.close());
  const chosen = (values: string[]) => ({
    objectSelector: { matchExpressions: [{ key: 'policy', operator: 'In', values }] },
  });
  const hooks = {
    adds: chosen(hooked),
    looks: chosen(['before-webhook']),
    again: { ...chosen(['before-webhook']), reinvocationPolicy: 'IfNeeded' },
  };
  for (const [name, more] of Object.entries(hooks))
    await target.createForAll(
      pathOf('Mutating'),
      configuration(
        target,
        name,
        { type: 'Mutating', verdict: () => ({}), more },
        server.url,
        server.caBundle,
      ),
    );
  await installMutatingPolicies(target, all);
  for (const [hook, policy] of [
    ['adds', 'after-webhook'],
    ['looks', 'before-webhook'],
    ['again', 'before-webhook'],
  ])
    await waitFor(`the hook ${hook} is called`, async () => {
      await api.post(core('configmaps'), under(policy ?? '', 'probe'), { query: { dryRun: 'All' } });
      return server.requests(hook ?? '').length > 0 ? { met: true } : { seen: 'not called' };
    });
  return server;
});

async function create(target: Target, policy: string) {
  await installed(target);
  return target.api.post(target.core('configmaps'), under(policy, policy));
}

contract('rounds of mutating admission policies', (it) => {
  it('a policy runs once by default', async (target) => {
    expect(logOf(await create(target, 'never'))).toBe('never ');
  });

  it('a policy that runs again if needed runs again after its own mutation', async (target) => {
    expect(logOf(await create(target, 'if-needed'))).toBe('needed needed ');
  });

  it('policies that run again if needed see the mutations of each other', async (target) => {
    const { body } = await create(target, 'one-of-two');
    expect(body.metadata.annotations).toMatchObject({ one: 'after', two: 'after' });
  });

  it('a webhook sees what policies have mutated', async (target) => {
    const server = await installed(target);
    await create(target, 'before-webhook');
    const seen = (hook: string) =>
      server
        .requests(hook)
        .filter(({ object, dryRun }) => object?.metadata.name === 'before-webhook' && !dryRun)
        .map(({ object }) => object?.metadata.annotations);
    expect(seen('looks')).toEqual([{ log: 'policy ' }]);
    expect(seen('again')).toEqual([{ log: 'policy ' }]);
  });

  it('a policy that runs again if needed sees what a webhook has mutated', async (target) => {
    const { body } = await create(target, 'after-webhook');
    expect(body['data']).toEqual({ hooked: 'yes' });
    expect(body.metadata.annotations).toMatchObject({ seen: 'yes' });
  });

  it('a policy that never runs again does not', async (target) => {
    const { body } = await create(target, 'never-after-webhook');
    expect(body['data']).toEqual({ hooked: 'yes' });
    expect(body.metadata.annotations).toMatchObject({ seen: 'no' });
  });

  it('a policy whose condition holds only after a webhook does not run', async (target) => {
    expect(logOf(await create(target, 'condition-after-webhook'))).toBe('');
  });

  it('a policy whose condition holds only before a webhook does not run again', async (target) => {
    expect(logOf(await create(target, 'until-webhook'))).toBe('until ');
  });
});
