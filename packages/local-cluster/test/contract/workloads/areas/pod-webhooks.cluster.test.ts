import { pods } from '@trimtab/kube/resource.ts';
import { withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import type { Container, Pod } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import { pod } from '../../api/objects.ts';
import { once, type Target } from '../../api/target.ts';
import { configuration, type Hook, pathOf } from '../../api/webhook-objects.ts';
import { startWebhookServer } from '../../api/webhook-server.ts';
import { caseTimeoutMs, Stage } from '../stage.ts';
import { replicaSet, replicationController } from '../workload-objects.ts';

const patch = (...operations: object[]) => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

const sidecar = { name: 'sidecar', image: 'side:1', restartPolicy: 'Always' };
const inject = 'test.dev/inject';
const counted = 'test.dev~1calls';

const rules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];

/** Each hook is called only for pods whose label `hook` is its name. */
const hooks: Record<string, Hook> = {
  inject: {
    type: 'Mutating',
    verdict: () => patch({ op: 'add', path: '/spec/initContainers', value: [sidecar] }),
    more: {
      matchConditions: [
        {
          name: 'is-annotated',
          expression: `has(object.metadata.annotations) && '${inject}' in object.metadata.annotations && object.metadata.annotations['${inject}'] == 'yes'`,
        },
        { name: 'is-not-of-the-system', expression: "request.namespace != 'kube-system'" },
      ],
    },
  },
  slow: { type: 'Mutating', verdict: () => new Promise(() => {}), more: { timeoutSeconds: 1 } },
  'slow-ignored': {
    type: 'Mutating',
    verdict: () => new Promise(() => {}),
    more: { timeoutSeconds: 1, failurePolicy: 'Ignore' },
  },
  again: {
    type: 'Mutating',
    // Adds a container in its first call, and counts its calls.
    verdict: ({ object }) => {
      const { metadata, spec } = object as unknown as Pod;
      const calls = Number(metadata.annotations?.['test.dev/calls'] ?? 0) + 1;
      const count = { op: 'add', path: `/metadata/annotations/${counted}`, value: String(calls) };
      if (spec.initContainers !== undefined) return patch(count);
      return patch(count, { op: 'add', path: '/spec/initContainers', value: [sidecar] });
    },
    more: { reinvocationPolicy: 'IfNeeded' },
  },
};

const hooked = (hook: string, name: string, annotations: Record<string, string>, spec: object = {}) =>
  pod({ name, labels: { hook }, annotations }, spec);

/** Installs all hooks, and waits until the API server calls each of them. */
const installed = once(async (target: Target) => {
  const server = await startWebhookServer(
    Object.fromEntries(Object.entries(hooks).map(([name, { verdict }]) => [name, verdict])),
  );
  target.onClose(() => server.close());
  const { api, core } = target;
  for (const [name, { type, verdict, more }] of Object.entries(hooks)) {
    const hook = { type, verdict, more: { rules, ...more } };
    await target.createForAll(pathOf(type), configuration(target, name, hook, server.url, server.caBundle));
  }
  for (const name of Object.keys(hooks))
    await waitFor(`the hook ${name} is called`, async () => {
      await api.post(core('pods'), hooked(name, 'probe', { [inject]: 'yes' }), { query: { dryRun: 'All' } });
      return server.requests(name).length > 0 ? { met: true } : { seen: 'not called' };
    });
  return server;
});

const initNames = (spec: unknown) =>
  ((spec as Pod['spec']).initContainers ?? []).map(({ name }: Container) => name);
const mountPaths = ({ volumeMounts = [] }: Container) => volumeMounts.map(({ mountPath }) => mountPath);

contract(
  'webhooks on pods',
  (it) => {
    it('a match condition selects pods by their annotations', async (target) => {
      const server = await installed(target);
      const { api, core } = target;
      const create = async (name: string, annotations: Record<string, string>) => {
        const { code, text, body } = await api.post(core('pods'), hooked('inject', name, annotations));
        expect(code, text).toBe(201);
        return initNames(body['spec']);
      };
      expect(await create('chosen', { [inject]: 'yes' })).toEqual(['sidecar']);
      expect(await create('declined', { [inject]: 'no' })).toEqual([]);
      expect(await create('unannotated', {})).toEqual([]);
      const asked = server.requests('inject').filter(({ name }) => name !== 'probe');
      expect(asked.map(({ name, operation }) => [name, operation])).toEqual([['chosen', 'CREATE']]);
    });

    for (const [kind, build] of [
      ['ReplicaSet', replicaSet],
      ['ReplicationController', replicationController],
    ] as const)
      it(`pods of a ${kind} are changed, too`, async (target) => {
        await installed(target);
        const stage = await Stage.on(target);
        const name = `of-${kind.toLowerCase()}`;
        const labels = { app: name, hook: 'inject' };
        const object = build(name, withReplicas(2));
        object.spec.template.metadata = { labels, annotations: { [inject]: 'yes' } };
        await stage.create(object);
        const made = await stage.wait('two pods', async () => {
          const found = await stage.pods(name);
          return found.length === 2 ? { met: found } : { seen: `${found.length} pods` };
        });
        expect(made.map(({ spec }) => initNames(spec))).toEqual([['sidecar'], ['sidecar']]);
      });

    it('a webhook that does not answer in time refuses the pod', async (target) => {
      await installed(target);
      const { api, core } = target;
      const { code, body } = await api.post(core('pods'), hooked('slow', 'late', {}));
      expect([code, String(body['message']).replace(/127\.0\.0\.1:\d+/, 'ADDRESS')]).toEqual([
        500,
        'Internal error occurred: failed calling webhook "slow.example.com": failed to call webhook: Post "https://ADDRESS/slow?timeout=1s": context deadline exceeded',
      ]);
      expect((await api.get(core('pods/late'))).code).toBe(404);
    });

    it('a webhook with the failure policy Ignore that does not answer in time is skipped', async (target) => {
      await installed(target);
      const { code } = await target.api.post(target.core('pods'), hooked('slow-ignored', 'patient', {}));
      expect(code).toBe(201);
    });

    it('a container that a webhook adds gets the token of the service account', async (target) => {
      await installed(target);
      const object = hooked('inject', 'trusted', { [inject]: 'yes' }, { automountServiceAccountToken: true });
      const { code, text, body } = await target.api.post(target.core('pods'), object);
      expect(code, text).toBe(201);
      const { initContainers = [], containers, volumes = [] } = body['spec'] as Pod['spec'];
      expect([...initContainers, ...containers].map(mountPaths)).toEqual([
        ['/var/run/secrets/kubernetes.io/serviceaccount'],
        ['/var/run/secrets/kubernetes.io/serviceaccount'],
      ]);
      expect(volumes).toHaveLength(1);
    });

    it('a webhook with the reinvocation policy IfNeeded is called again after a later change', async (target) => {
      await installed(target);
      const stage = await Stage.on(target);
      const calls = async (name: string, automountServiceAccountToken: boolean) => {
        const object = hooked('again', name, { test: 'yes' }, { automountServiceAccountToken });
        const { code, text } = await target.api.post(target.core('pods'), object);
        expect(code, text).toBe(201);
        return (await stage.find<Pod>(pods, name))?.metadata.annotations?.['test.dev/calls'];
      };
      expect(await calls('unchanged', false)).toBe('1');
      // The token is mounted into the new container after the first call.
      expect(await calls('changed', true)).toBe('2');
    });
  },
  { pods: 'simulated', timeoutMs: caseTimeoutMs },
);
