import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { beforeEach, expect, test } from 'vitest';
import { annotations, labels } from '../../api/names.ts';
import { assignmentHash } from '../../core/references/assignment.ts';
import { configKey } from '../../core/references/config-key.ts';
import type { AdmissionRequest, WorkloadObject } from './admission-review.ts';
import { type AdmissionOptions, admitWorkload, type EnsureFirstVersion } from './admit-workload.ts';

let clock: ManualClock;
let asked: string[];

beforeEach(() => {
  clock = new ManualClock();
  asked = [];
});

/** No ServiceAccount limits the Secrets of its pods. */
const everySecret = { learn: async () => {}, allows: () => true, limits: () => false };

function options(ensure: EnsureFirstVersion): AdmissionOptions {
  return {
    clock,
    log: silentLogger,
    timeoutMs: 2_000,
    lookup: () => ({
      reloads: false,
      referenceWay: () => 'template',
      managed: (_, configs) => new Set(configs.map(({ kind, name }) => configKey(kind, name))),
      version: () => undefined,
      current: () => undefined,
      goodRevision: () => undefined,
    }),
    joinWorkload: async () => undefined,
    unknownVersions: async () => [],
    mountableSecrets: everySecret,
    ensureFirstVersion(namespace, kind, name, signal) {
      asked.push(`${namespace}/${kind}/${name}`);
      return ensure(namespace, kind, name, signal);
    },
  };
}

const review = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  uid: 'r1',
  kind: { kind: 'Deployment' },
  namespace: 'default',
  name: 'web',
  operation: 'CREATE',
  object: {
    metadata: { name: 'web', annotations: { [annotations.manage]: 'true' } },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: 'app',
              envFrom: [
                { configMapRef: { name: 'foo' } },
                { configMapRef: { name: 'foo' } },
                { secretRef: { name: 'bar' } },
              ],
            },
          ],
        },
      },
    },
  },
  ...more,
});

const replaced = (patch: readonly { op: string; value?: unknown }[]) =>
  patch.filter(({ op }) => op === 'replace').map(({ value }) => value);

test('first versions are made, each once, and the workload starts with them', async () => {
  const { mutation, result } = await admitWorkload(
    review(),
    options(async (_, __, name) => `${name}-1`),
  );
  expect(asked).toEqual(['default/ConfigMap/foo', 'default/Secret/bar']);
  expect(replaced(mutation.patch)).toEqual(['foo-1', 'foo-1', 'bar-1']);
  expect(mutation.patch.at(-1)).toMatchObject({ op: 'add', path: '/metadata/labels' });
  expect(result).toBe('patched');
});

test('a Secret whose versions the ServiceAccount does not allow stays as it is written', async () => {
  const given = options(async (_, __, name) => `${name}-1`);
  const mountableSecrets = {
    learn: async () => {},
    limits: ({ serviceAccount }: { serviceAccount: string }) => serviceAccount === 'default',
    allows: (_: unknown, references: readonly { kind: string }[]) =>
      references.every(({ kind }) => kind !== 'Secret'),
  };
  const { mutation } = await admitWorkload(review(), { ...given, mountableSecrets });
  expect(replaced(mutation.patch)).toEqual(['foo-1', 'foo-1']);
});

test('a dry run makes nothing', async () => {
  const { mutation, result } = await admitWorkload(
    review({ dryRun: true }),
    options(async () => 'foo-1'),
  );
  expect(asked).toEqual([]);
  expect(mutation.patch).toEqual([]);
  expect(result).toBe('unchanged');
});

test('a config that is missing, or fails, does not keep the others from their versions', async () => {
  const { mutation } = await admitWorkload(
    review(),
    options(async (_, kind) => {
      if (kind === 'Secret') throw new Error('forbidden');
      return 'foo-1';
    }),
  );
  expect(replaced(mutation.patch)).toEqual(['foo-1', 'foo-1']);
  const missing = await admitWorkload(
    review(),
    options(async () => undefined),
  );
  expect(missing.mutation.patch).toEqual([]);
});

test('what takes too long is told to stop, and the workload is admitted as it is', async () => {
  let stopped: AbortSignal | undefined;
  const answer = admitWorkload(
    review(),
    options((_, __, ___, signal) => {
      stopped = signal;
      return new Promise(() => {});
    }),
  );
  await clock.advance(2_000);
  expect(await answer).toEqual({ mutation: { patch: [], warnings: [] }, result: 'late' });
  expect(stopped?.aborted).toBe(true);
});

/** Version foo-1 is current, and bar has no version. */
function withFoo(given: AdmissionOptions): AdmissionOptions {
  const lookup = given.lookup('default');
  return {
    ...given,
    lookup: () => ({ ...lookup, current: (_, config) => (config === 'foo' ? 'foo-1' : undefined) }),
  };
}

test('when a first version takes too long, the other configs are assigned all the same', async () => {
  const answer = admitWorkload(review(), withFoo(options(() => new Promise(() => {}))));
  await clock.advance(2_000);
  const { mutation, result } = await answer;
  expect(replaced(mutation.patch)).toEqual(['foo-1', 'foo-1']);
  expect(result).toBe('late');
});

test('an apply right after a version was assigned keeps it, although no watch has delivered the version', async () => {
  const named = (name: string, image: string, label: string): WorkloadObject => ({
    metadata: {
      name: 'web',
      labels: { [labels.assigned]: label },
      annotations: { [annotations.manage]: 'true' },
    },
    spec: { template: { spec: { containers: [{ name: image, envFrom: [{ configMapRef: { name } }] }] } } },
  });
  const foo = configKey('ConfigMap', 'foo');
  const label = assignmentHash(new Map([[foo, 'foo-2']]));
  const request = review({
    object: named('foo', 'two', label),
    oldObject: named('foo-2', 'one', label),
    operation: 'UPDATE',
  });
  const { mutation } = await admitWorkload(request, {
    ...withFoo(options(async () => undefined)),
    unknownVersions: async () => [[foo, 'foo-2']],
  });
  expect(replaced(mutation.patch)).toEqual(['foo-2']);
});

test('when joining an activation takes too long, the workload gets the versions that are current', async () => {
  let stopped: AbortSignal | undefined;
  const request = review();
  request.object.spec?.template?.spec?.containers?.[0]?.envFrom?.pop();
  const answer = admitWorkload(request, {
    ...withFoo(options(async () => undefined)),
    joinWorkload: (_, __, signal) => {
      stopped = signal;
      return new Promise(() => {});
    },
  });
  await clock.advance(1_000);
  const { mutation, result } = await answer;
  expect(replaced(mutation.patch)).toEqual(['foo-1', 'foo-1']);
  expect(result).toBe('patched');
  expect(stopped?.aborted).toBe(true);
});

test('a config that cannot have a version does not keep the workload from joining the activation of the others', async () => {
  const joins: string[][] = [];
  const given = withFoo(options(async () => undefined));
  await admitWorkload(review(), {
    ...given,
    joinWorkload: async (_, { joinable }) => {
      joins.push(joinable.map(({ kind, name }) => configKey(kind, name)));
      return undefined;
    },
  });
  expect(asked).toEqual(['default/Secret/bar']);
  expect(joins).toEqual([['ConfigMap/foo']]);
});

test('a lookup that fails admits the workload as it is', async () => {
  const broken = options(async () => undefined);
  const lookup = () => {
    throw new Error('no cache');
  };
  const { mutation, result } = await admitWorkload(review(), { ...broken, lookup });
  expect(mutation.patch).toEqual([]);
  expect(result).toBe('failed');
});
