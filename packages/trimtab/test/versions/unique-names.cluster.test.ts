import type { KubeClient } from '@trimtab/kube/client.ts';
import { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { leaseTiming } from '@trimtab/kube/lease/timing.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createRegistry } from '@trimtab/kube/metrics/metrics.ts';
import { configMaps, deployments } from '@trimtab/kube/resource.ts';
import { ApiError, NetworkError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { StateRecording } from '@trimtab/test-bed/watching/state-recording.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfigRollout } from '../../src/api/config-rollout.ts';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels } from '../../src/api/names.ts';
import { runController } from '../../src/controller/controller.ts';
import { isDeletedName, knownLedger } from '../../src/core/version/ledger.ts';
import { Refusal } from '../../src/versions/refusal.ts';
import { addVersion } from '../../src/versions/writes/add-version.ts';
import { deleteVersion } from '../../src/versions/writes/delete-versions.ts';
import { Dice } from '../faults/driven/dice.ts';
import { applyCrd } from '../support/apply-crd.ts';
import { managed } from '../support/managed.ts';
import { type Moment, mortalClient } from '../support/mortal-client.ts';
import { mountedConfigMap } from '../support/release-story.ts';

let engine: Engine;
let client: KubeClient;
let namespace: string;
const seed = Number(process.env['TRIMTAB_FAULT_SEED'] ?? Date.now() % 1_000_000);

beforeAll(async () => {
  engine = await currentEngine();
  client = await engine.connect();
  await applyCrd(client);
  namespace = await engine.namespace();
});

afterAll(() => engine?.close());

const foo = { kind: 'ConfigMap', name: 'foo' } as const;
const timing = leaseTiming({ leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 });

/** Kills at random writes. */
function death(dice: Dice, probability: number): () => Moment | undefined {
  return () => (dice.chance(probability) ? dice.pick<Moment>(['before', 'after']) : undefined);
}

/** A controller with a Lease of its own, so that two of them write at once. It is started again when it is killed. */
async function immortalController(dice: Dice, mayDie: () => boolean, end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    // A Lease of a killed controller expires slowly, so each start has another.
    const homeNamespace = await engine.namespace();
    const killed = new AbortController();
    const kills = death(dice, 0.02);
    const mortal = mortalClient(
      client,
      () => (mayDie() ? kills() : undefined),
      () => killed.abort(new Error('killed')),
    );
    await runController({
      client: mortal,
      log: silentLogger,
      metrics: createRegistry(),
      checks: new HealthChecks(),
      namespaces: [namespace],
      homeNamespace,
      leaseTiming: timing,
      secrets: false,
      reloaderAnnotations: false,
      coalesceMs: 0,
      removeUnusedAfterMs: 0,
      signal: AbortSignal.any([killed.signal, end]),
      onOverdue: () => {},
    }).catch(() => {});
  }
}

/** One request to a gateway, which may be killed during it. Returns the version that the response names. */
async function request(dice: Dice): Promise<{ name: string; uid: string } | undefined> {
  const mortal = mortalClient(client, death(dice, 0.1));
  const address = { ...foo, namespace };
  // Few names, so that they collide with each other and with automatic ones.
  const name = dice.pick(['a', 'b', '1.0.3', `1.0.${dice.whole(0, 40)}`]);
  const chosen = dice.chance(0.5) ? name : undefined;
  const context = { client: mortal, by: 'somebody', fieldManager: 'test' };
  try {
    if (chosen !== undefined && dice.chance(0.6)) {
      await deleteVersion(context, address, chosen, { dryRun: false, preconditions: {} });
      return undefined;
    }
    const body = { metadata: {}, data: { n: String(dice.draw()) } };
    const { object } = await addVersion(context, address, body, chosen, false);
    return identityOf(object);
  } catch (error) {
    if (error instanceof Refusal || error instanceof NetworkError || error instanceof ApiError)
      return undefined;
    throw error;
  }
}

function identityOf({ metadata }: KubeObject): { name: string; uid: string } {
  return { name: metadata.annotations?.[annotations.version] ?? '', uid: metadata.uid ?? '' };
}

test(`two controllers and three gateways write at once, and no name is used twice (seed ${seed})`, async () => {
  const strategy = { bakeSeconds: 0 };
  await new Given(client, namespace).objects(configMap('foo', { n: '0' }));
  await client.create(configRollouts, {
    apiVersion: 'trimtab.dev/v1alpha1',
    kind: 'ConfigRollout',
    metadata: { name: 'configmap-foo', namespace },
    spec: { config: foo, historyLimit: 0, strategy },
  } as KubeObject);
  await new Given(client, namespace).objects(
    deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, withReplicas(0)),
  );
  const selection = { namespace, labelSelector: labels.versionOf };
  await using versions = await StateRecording.start<KubeObject>(client, configMaps, selection);
  await using workloads = await StateRecording.start<Deployment>(client, deployments, { namespace });
  const end = new AbortController();
  let mayDie = true;
  const controllers = [1, 2].map((n) => immortalController(new Dice(seed + n), () => mayDie, end.signal));
  const where = { namespace, name: 'foo' };
  const acknowledged: { name: string; uid: string }[] = [];
  const gateway = async (own: Dice) => {
    for (let n = 0; n < 25; n++) {
      const made = await request(own);
      if (made !== undefined) acknowledged.push(made);
    }
  };
  const editor = async () => {
    for (let n = 1; n <= 20; n++) {
      await client.patch(configMaps, where, { type: 'merge', body: { data: { n: `edit ${n}` } } });
      const object = await released(`edit ${n}`);
      expect(object).toBeDefined();
    }
  };
  await using _ = {
    async [Symbol.asyncDispose]() {
      end.abort(new Error('the test is over'));
      await Promise.all(controllers);
    },
  };
  await Promise.all([editor(), ...[3, 4, 5].map((n) => gateway(new Dice(seed + n)))]);
  mayDie = false;
  await released('edit 20');

  // Used are the versions that a gateway has acknowledged, that were current, or that a workload was assigned.
  const states = await versions.upToNow();
  const mounted = new Set((await workloads.upToNow()).map((each) => mountedConfigMap(each)));
  const used = [
    ...acknowledged,
    ...states
      .filter(
        ({ metadata }) => metadata.labels?.[labels.state] === 'current' || mounted.has(metadata.name ?? ''),
      )
      .map(identityOf),
  ];
  const uids = Map.groupBy(used, ({ name }) => name);
  const twice = [...uids].filter(([, each]) => new Set(each.map(({ uid }) => uid)).size > 1);
  expect(twice).toEqual([]);
  // Each version that was used and is gone is in the ledger; no void version is left.
  await waitFor('what is void or beyond the limit is removed, and recorded', async () => {
    const rollout = await client.get<ConfigRollout>(configRollouts, { namespace, name: 'configmap-foo' });
    const { items } = await client.list<KubeObject>(configMaps, selection);
    const left = new Set(items.map(({ metadata }) => metadata.uid));
    const ledger = knownLedger(rollout);
    const forgotten = used.filter(({ name, uid }) => !left.has(uid) && !isDeletedName(ledger, name));
    const double = items
      .map(identityOf)
      .filter(({ name }, index, all) => all.some((other, at) => at !== index && other.name === name));
    return forgotten.length + double.length === 0
      ? { met: true }
      : { seen: `forgotten: ${JSON.stringify(forgotten)}, double: ${JSON.stringify(double)}` };
  });
  expect(acknowledged.length).toBeGreaterThan(0);
});

/** Waits until the version with this content is current, and returns its object. */
async function released(n: string): Promise<KubeObject | undefined> {
  let found: KubeObject | undefined;
  await waitFor(`${n} is current`, async () => {
    const { items } = await client.list<KubeObject & { data?: { n?: string } }>(configMaps, {
      namespace,
      labelSelector: `${labels.versionOf},${labels.state}=current`,
    });
    found = items.find(({ data }) => data?.n === n);
    const seen = items.map(({ metadata, data }) => `${metadata.name}: ${data?.n}`).join(', ');
    return found === undefined ? { seen } : { met: true };
  }).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await scene()}`, { cause: error });
  });
  return found;
}

/** The ConfigRollout and all versions, for the error of the test. */
async function scene(): Promise<string> {
  const where = { namespace, name: 'configmap-foo' };
  const { metadata, spec, status } = await client.get<ConfigRollout>(configRollouts, where);
  const { items } = await client.list<KubeObject>(configMaps, { namespace });
  return [{ metadata, spec, status }, ...items].map((each) => JSON.stringify(each)).join('\n');
}
