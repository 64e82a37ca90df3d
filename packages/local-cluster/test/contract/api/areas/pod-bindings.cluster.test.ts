import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { pod } from '../objects.ts';
import { badRequest, conflict, invalid, notFound, refused } from '../statuses.ts';

const node = 'a-node-that-nobody-runs';
const binding = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { kind: 'Node', name: node },
  ...more,
});
const gates = (...names: string[]) => ({ schedulingGates: names.map((name) => ({ name })) });
interface Scheduled {
  spec: { nodeName?: string };
  status: { conditions?: { type: string; status: string; reason?: string; message?: string }[] };
}

contract('pod bindings', (it) => {
  it('a pod gets its node by a binding, and says so', async ({ api, core }) => {
    const { body: before } = await api.post(core('pods'), pod('bound'));
    const answer = await api.post(core('pods/bound/binding'), binding('bound'));
    expect([answer.code, answer.body]).toMatchObject([201, { kind: 'Status', status: 'Success', code: 201 }]);
    const { body } = await api.get(core('pods/bound'));
    const { spec, status } = body as unknown as Scheduled;
    expect(spec.nodeName).toBe(node);
    expect(status.conditions).toMatchObject([{ type: 'PodScheduled', status: 'True', lastProbeTime: null }]);
    expect(body.metadata.generation).toBe(before.metadata.generation);
  });

  it('a binding may carry annotations and labels for the pod', async ({ api, core }) => {
    await api.post(core('pods'), pod({ name: 'marked', labels: { a: 'b' } }));
    const metadata = { name: 'marked', labels: { c: 'd' }, annotations: { e: 'f' } };
    await api.post(core('pods/marked/binding'), binding('marked', { metadata }));
    const { body } = await api.get(core('pods/marked'));
    expect([body.metadata.labels, body.metadata.annotations]).toEqual([{ a: 'b', c: 'd' }, { e: 'f' }]);
  });

  it('a pod that has a node does not get another', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('taken'));
    await api.post(core('pods/taken/binding'), binding('taken'));
    const again = await api.post(core('pods/taken/binding'), binding('taken'));
    const why = `pod taken is already assigned to node "${node}"`;
    refused(target, again, conflict('pods/binding', 'taken', why));
  });

  it('a dry run binds nothing', async ({ api, core }) => {
    await api.post(core('pods'), pod('dry'));
    const path = core('pods/dry/binding');
    const { code } = await api.post(path, binding('dry'), { query: { dryRun: 'All' } });
    const { body } = await api.get(core('pods/dry'));
    expect([code, (body as unknown as Scheduled).spec.nodeName]).toEqual([201, undefined]);
  });

  it('a binding names its pod', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('named'));
    const message = 'name in URL does not match name in Binding object';
    for (const metadata of [{}, { name: 'another' }])
      refused(
        target,
        await api.post(core('pods/named/binding'), binding('named', { metadata })),
        badRequest(message),
      );
  });

  it('a binding to something else than a node is refused', async ({ api, core }) => {
    await api.post(core('pods'), pod('odd'));
    const message = async (about: object) =>
      (await api.post(core('pods/odd/binding'), binding('odd', { target: about }))).body['message'];
    expect(await message({ kind: 'Pod', name: 'x' })).toBe(
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    );
    expect(await message({ kind: 'Node' })).toBe('target.name: Required value');
  });

  it('a binding may name the UID that it means', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('newer'));
    const metadata = { name: 'newer', uid: 'of-the-one-before' };
    const answer = await api.post(core('pods/newer/binding'), binding('newer', { metadata }));
    expect([answer.code, answer.body['reason']]).toEqual([409, 'Conflict']);
    expect(answer.body['message']).toContain('Precondition failed: UID in precondition: of-the-one-before');
  });

  it('a pod that is not there, or that goes, is not bound', async (target) => {
    const { api, core } = target;
    refused(target, await api.post(core('pods/nope/binding'), binding('nope')), notFound('pods', 'nope'));
    await api.post(core('pods'), pod({ name: 'going', finalizers: ['test.dev/hold'] }));
    await api.delete(core('pods/going'));
    const why = 'pod going is being deleted, cannot be assigned to a host';
    refused(
      target,
      await api.post(core('pods/going/binding'), binding('going')),
      conflict('pods/binding', 'going', why),
    );
    await api.patch(core('pods/going'), 'merge', { metadata: { finalizers: null } });
  });

  it('a pod behind gates says so, and is not bound', async (target) => {
    const { api, core } = target;
    const { body } = await api.post(core('pods'), pod('gated', gates('test.dev/a')));
    expect((body as unknown as Scheduled).status.conditions).toMatchObject([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    ]);
    const why = 'pod gated has non-empty .spec.schedulingGates';
    refused(
      target,
      await api.post(core('pods/gated/binding'), binding('gated')),
      conflict('pods/binding', 'gated', why),
    );
  });

  it('gates open one by one, and none is added', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('opening', gates('test.dev/a', 'test.dev/b')));
    const change = (spec: object) =>
      api.patch(core('pods/opening'), 'json', [
        { op: 'replace', path: '/spec/schedulingGates', value: spec },
      ]);
    expect((await change([{ name: 'test.dev/b' }])).code).toBe(200);
    refused(
      target,
      await change([{ name: 'test.dev/c' }]),
      invalid(
        'Pod',
        'opening',
        "spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'test.dev/c'",
      ),
    );
    expect((await change([])).code).toBe(200);
  });

  it('behind a gate a node selector can be narrowed, not changed', async (target) => {
    const { api, core } = target;
    await api.post(core('pods'), pod('narrow', gates('test.dev/a')));
    const select = (nodeSelector: object) =>
      api.patch(core('pods/narrow'), 'json', [
        { op: 'add', path: '/spec/nodeSelector', value: nodeSelector },
      ]);
    expect((await select({ a: 'b' })).code).toBe(200);
    const message = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    refused(
      target,
      await select({ a: 'c' }),
      invalid('Pod', 'narrow', `spec.nodeSelector: Invalid value: {"a":"c"}: ${message}`),
    );
  });
});
