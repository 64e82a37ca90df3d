import type { KubeClient, Patch } from '@trimtab/kube/client.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { describe, expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { type ManagedFields, managedFieldsOf } from '../../core/managed-fields/managed-fields.ts';
import { workload as reduceWorkload, type Workload } from '../../core/workload/reduce-workload.ts';
import type { ControllerContext } from '../context.ts';
import { FieldOwners } from './field-owners.ts';

const { signal } = new AbortController();
const isAssigned = { [labels.assigned]: 'hash' };

const volume = { 'f:volumes': { 'k:{"name":"c"}': { 'f:configMap': { 'f:name': {} } } } };
const versions = { 'f:metadata': { 'f:annotations': { [`f:${annotations.versions}`]: {} } } };
const entry = (
  manager: string,
  operation: 'Apply' | 'Update',
  template: object = { 'f:spec': volume },
): ManagedFields => ({
  manager,
  operation,
  time: '2026-01-01T00:00:00Z',
  fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:template': template } },
});

interface Given {
  entries: ManagedFields[];
  /** The ConfigMap that the template names. foo-1 is a version of foo. */
  name?: string;
  labels?: Record<string, string>;
  versions?: string;
}

/** How the API server answers a patch: it applies it, refuses it, or answers 200 although it ignored the entry. */
type Answer = 'applies' | 'refuses' | 'ignores' | number;

function scene({ entries, name = 'foo', labels: own = {}, versions: assigned }: Given, answers: Answer[]) {
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'ns', name: 'web', uid: 'u1', labels: own, managedFields: entries },
    spec: {
      template: {
        ...(assigned && { metadata: { annotations: { [annotations.versions]: assigned } } }),
        spec: { volumes: [{ name: 'c', configMap: { name } }] },
      },
    },
  } as KubeObject;
  const workload = reduceWorkload('Deployment')(deployment);
  const handlers: ((change: Change<Workload>) => void)[] = [];
  const watched = (...its: Workload[]) => ({
    cache: new Map(its.map((each) => [`${each.namespace}/${each.name}`, each])),
    subscribe: (handler: (change: Change<Workload>) => void) => {
      handlers.push(handler);
      return () => handlers.splice(handlers.indexOf(handler), 1);
    },
  });
  const version = {
    labels: { [labels.config]: 'foo', [labels.versionOf]: 'u2' },
    annotations: {
      [annotations.config]: 'foo',
      [annotations.version]: '1.0.0',
      [annotations.contentHash]: 'hash of the content',
      [annotations.sequence]: '1',
    },
  };
  const cluster = {
    workloads: { Deployment: watched(workload), StatefulSet: watched(), DaemonSet: watched() },
    configs: { ConfigMap: { cache: new Map([['ns/foo-1', version]]) } },
    rollouts: { cache: new Map() },
  };
  let patches = 0;
  const client = {
    async get() {
      if (answers[patches - 1] === 404) throw failure(404);
      return deployment;
    },
    async patch(_: unknown, __: unknown, patch: Patch & { type: 'json' }) {
      const answer = answers[patches++] ?? 'applies';
      if (answer === 'refuses') throw failure(422);
      if (typeof answer === 'number') throw failure(answer);
      if (answer === 'applies') applyToEntries(entries, patch.operations);
      return deployment;
    },
  } as unknown as KubeClient;
  const warnings: string[] = [];
  const log = Object.assign(Object.create(silentLogger), {
    warn: (_: object, message: string) => warnings.push(message),
  });
  const clock = new ManualClock();
  const owners = new FieldOwners({ client, cluster, clock, log } as unknown as ControllerContext);
  return {
    deployment,
    clock,
    warnings,
    patches: () => patches,
    reconcile: () => owners.reconcile('ns/Deployment/web', signal),
    /** The delays of the keys that a change of the workload enqueues. */
    enqueued(): number[] {
      const delays: number[] = [];
      const unsubscribe = owners.listen((_, delayMs = owners.delayMs) => delays.push(delayMs));
      handlers[0]?.({ key: 'ns/web', after: workload });
      for (const end of unsubscribe) end();
      return delays;
    },
  };
}

function failure(status: number): ApiError {
  return new ApiError(status, { apiVersion: 'v1', kind: 'Status' });
}

function applyToEntries(
  entries: ManagedFields[],
  operations: (Patch & { type: 'json' })['operations'],
): void {
  for (const { op, path, ...rest } of operations) {
    const [, , , index = '', field] = path.split('/');
    const changed = entries[Number(index)];
    if (op === 'remove') entries.splice(Number(index), 1);
    if (op === 'replace' && field === 'fieldsV1' && changed !== undefined)
      changed.fieldsV1 = (rest as { value: Record<string, unknown> }).value;
  }
}

/** The managers of an update that own the reference. */
function updaters(object: KubeObject): (string | undefined)[] {
  const found = managedFieldsOf(object).filter(
    ({ operation, fieldsV1 }) => operation === 'Update' && JSON.stringify(fieldsV1).includes('configMap'),
  );
  return found.map(({ manager }) => manager);
}

const helm = () => entry('helm', 'Apply', { 'f:spec': { 'f:volumes': { 'k:{"name":"c"}': { '.': {} } } } });

describe('a reference that an update took from whoever applies the workload', () => {
  test.each<[string, Omit<Given, 'entries'>]>([
    ['names a version', { name: 'foo-1', labels: isAssigned }],
    ['names the config after an opt-out, which removes the label', {}],
    ['names the config because pods are reloaded', { labels: isAssigned }],
    ['names a version, and the label is gone', { name: 'foo-1' }],
  ])('is given back when it is owned by Trimtab and %s', async (_, given) => {
    const { deployment, enqueued, reconcile } = scene(
      { ...given, entries: [helm(), entry('trimtab', 'Update')] },
      [],
    );
    expect(enqueued()).toEqual([2_000]);
    expect(await reconcile()).toBeUndefined();
    expect(updaters(deployment)).toEqual([]);
    expect(JSON.stringify(managedFieldsOf(deployment)[0])).toContain('f:configMap');
  });

  test('stays with a client that wrote the config itself', async () => {
    const { enqueued, reconcile, patches } = scene(
      { labels: isAssigned, entries: [entry('kubectl-edit', 'Update')] },
      [],
    );
    expect(enqueued()).toEqual([]);
    await reconcile();
    expect(patches()).toBe(0);
  });
});

describe('a client that takes the reference back after each time', () => {
  const operator = () => entry('operator', 'Update');
  const hourMs = 3_600_000;

  function disputed() {
    const entries = [helm(), operator()];
    const it = scene({ name: 'foo-1', labels: isAssigned, entries }, []);
    /** Reconciles as the queue does. The operator writes its manifest again as soon as it sees a change. */
    const during = async (ms: number) => {
      const end = it.clock.monotonic() + ms;
      while (it.clock.monotonic() < end) {
        const answer = await it.reconcile();
        if (updaters(it.deployment).length === 0) entries.push(operator());
        await it.clock.advance(answer?.requeueAfterMs ?? it.enqueued()[0] ?? hourMs);
      }
    };
    return { ...it, entries, during };
  }

  test('keeps it for longer each time, up to an hour', async () => {
    const { during, patches } = disputed();
    await during(hourMs);
    expect(patches()).toBeGreaterThan(5);
    expect(patches()).toBeLessThan(15);
    const before = patches();
    await during(10 * hourMs);
    expect(patches() - before).toBeLessThan(12);
  });

  test('does not keep Trimtab, or another client, from giving back what it took', async () => {
    const { clock, during, entries, enqueued, reconcile, patches, deployment } = disputed();
    await during(hourMs);
    await reconcile();
    entries.push(operator());
    await clock.advance(10_000);
    const before = patches();
    expect((await reconcile())?.requeueAfterMs).toBeGreaterThan(60_000);
    expect(patches()).toBe(before);
    expect(enqueued()[0]).toBeGreaterThan(60_000);
    for (const manager of ['trimtab', 'kubectl-edit']) {
      entries.push(entry(manager, 'Update'));
      await reconcile();
      expect(updaters(deployment)).toEqual([]);
      entries.push(operator());
    }
  });

  test('and does so a day later loses it at once again', async () => {
    const { clock, during, entries, reconcile, deployment } = disputed();
    await during(hourMs);
    await clock.advance(hourMs);
    await reconcile();
    await clock.advance(24 * hourMs);
    for (let edit = 0; edit < 2; edit++) {
      entries.push(operator());
      expect(await reconcile()).toBeUndefined();
      expect(updaters(deployment)).toEqual([]);
      await clock.advance(600_000);
    }
  });
});

test('the annotation that assigns versions is taken from whoever applies it at once: the next apply removes it', async () => {
  const { deployment, enqueued, reconcile } = scene(
    {
      labels: isAssigned,
      versions: 'configmap/foo=foo-1',
      entries: [entry('helm', 'Apply', { ...versions, 'f:spec': volume })],
    },
    [],
  );
  expect(enqueued()).toEqual([0]);
  await reconcile();
  expect(JSON.stringify(managedFieldsOf(deployment))).not.toContain(annotations.versions);
});

describe('a change of the owners', () => {
  const taken = () => ({ entries: [helm(), entry('trimtab', 'Update')] });

  test('is repeated on the object as it is now when a test failed', async () => {
    const { deployment, reconcile, patches } = scene(taken(), ['refuses', 'applies']);
    expect(await reconcile()).toBeUndefined();
    expect([patches(), updaters(deployment)]).toEqual([2, []]);
  });

  test('is repeated when the API server answered 200 and ignored the entry', async () => {
    const { deployment, reconcile, patches } = scene(taken(), ['ignores', 'applies']);
    expect(await reconcile()).toBeUndefined();
    expect([patches(), updaters(deployment)]).toEqual([2, []]);
  });

  test.each<Answer>(['refuses', 'ignores'])(
    'is tried again later when the API server %s it each time',
    async (answer) => {
      const all = Array.from({ length: 5 }, () => answer);
      const { deployment, reconcile, patches, warnings } = scene(taken(), all);
      expect(await reconcile()).toEqual({ requeueAfterMs: 30_000 });
      expect([patches(), updaters(deployment)]).toEqual([5, ['trimtab']]);
      expect(warnings).toEqual(['the owners of fields could not be changed; trying again later']);
      expect(await reconcile()).toBeUndefined();
      expect(updaters(deployment)).toEqual([]);
    },
  );

  test('is not needed for a workload that is gone', async () => {
    const { reconcile, patches } = scene(taken(), [404]);
    expect(await reconcile()).toBeUndefined();
    expect(patches()).toBe(1);
  });

  test('leaves an error of the API server to the queue', async () => {
    const { reconcile } = scene(taken(), [503]);
    await expect(reconcile()).rejects.toThrow('503');
  });
});
