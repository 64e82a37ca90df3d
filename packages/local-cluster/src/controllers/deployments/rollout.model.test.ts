import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deploymentOf } from '../../../test/support/workload-objects.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import { deploymentSnapshot, totalAvailable, totalReplicas } from './deployment-snapshot.ts';
import { rolloutStatus } from './deployment-status.ts';
import { limitsOf } from './limits.ts';
import { planDeployment } from './plan-deployment.ts';
import { sizeAnnotations } from './revisions.ts';

/** A Deployment with modelled pods: each ReplicaSet has only the numbers of existing and available pods. */
class World {
  deployment: Deployment;
  readonly sets = new Map<string, ReplicaSet>();
  /** Images whose pods never become available. */
  readonly broken = new Set<string>();
  #now = Date.UTC(2026, 0, 1);

  constructor(replicas: number, maxSurge: number | string, maxUnavailable: number | string) {
    this.deployment = deploymentOf({ replicas, maxSurge, maxUnavailable, image: 'v0' });
  }

  update(image: string): void {
    const { metadata, spec } = this.deployment;
    const template = { ...spec.template, spec: { containers: [{ name: 'app', image }] } };
    this.deployment = {
      ...this.deployment,
      metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 },
      spec: { ...spec, template },
    };
  }

  /** Runs one reconcile of the controller. Returns false when it had nothing to do. */
  look(): boolean {
    this.#now += 1000;
    const seen = deploymentSnapshot(this.deployment, [...this.sets.values()]);
    const plan = planDeployment({ ...seen, hasOldPods: false });
    if (plan.do === 'recordEvent') {
      const { metadata } = this.deployment;
      const annotations = {
        ...metadata.annotations,
        'deployment.kubernetes.io/revision': plan.revision ?? '',
      };
      this.deployment = { ...this.deployment, metadata: { ...metadata, annotations } };
      if (plan.condition) this.#status({ conditions: [plan.condition] });
      return true;
    }
    if (plan.do === 'adjust' || plan.do === 'create') {
      this.#put(plan.set);
      return true;
    }
    for (const { set, to } of plan.scale) {
      const present = this.sets.get(set.metadata.name ?? '') ?? set;
      const annotations = { ...present.metadata.annotations, ...sizeAnnotations(this.deployment) };
      this.#put({
        ...present,
        metadata: { ...present.metadata, annotations },
        spec: { ...present.spec, replicas: to },
      });
    }
    for (const { metadata } of plan.remove) this.sets.delete(metadata.name ?? '');
    this.#status(rolloutStatus(deploymentSnapshot(this.deployment, [...this.sets.values()]), this.#now));
    return plan.scale.length + plan.remove.length > 0;
  }

  /** The ReplicaSet controller: scales to the desired size and removes unavailable pods first. */
  bringPods(set: ReplicaSet): boolean {
    const { replicas, availableReplicas = 0 } = set.status ?? { replicas: 0 };
    if (replicas === set.spec.replicas) return false;
    this.#pods(set, set.spec.replicas, Math.min(availableReplicas, set.spec.replicas));
    return true;
  }

  /** Makes one more pod available. */
  heal(set: ReplicaSet): boolean {
    const { replicas, availableReplicas = 0 } = set.status ?? { replicas: 0 };
    const image = set.spec.template.spec.containers[0]?.image ?? '';
    if (availableReplicas >= replicas || this.broken.has(image)) return false;
    this.#pods(set, replicas, availableReplicas + 1);
    return true;
  }

  /** Runs all moves in the order that `pick` selects until none is possible. Calls `check` in every state. */
  run(pick: (count: number) => number, check: () => void): void {
    for (let step = 0; step < 5_000; step++) {
      check();
      const moves = [
        () => this.look(),
        ...[...this.sets.values()].flatMap((set) => [() => this.bringPods(set), () => this.heal(set)]),
      ];
      const first = pick(moves.length);
      const order = [...moves.slice(first), ...moves.slice(0, first)];
      if (!order.some((move) => move())) return;
    }
    throw new Error('the model did not settle in 5,000 steps');
  }

  #pods(set: ReplicaSet, replicas: number, availableReplicas: number): void {
    const status = {
      replicas,
      availableReplicas,
      readyReplicas: availableReplicas,
      terminatingReplicas: 0,
      observedGeneration: 1,
    };
    this.#put({ ...set, status });
  }

  #put(set: ReplicaSet): void {
    const { name = '' } = set.metadata;
    const made = this.sets.get(name)?.metadata.creationTimestamp ?? new Date(this.#now).toISOString();
    this.sets.set(name, {
      ...set,
      metadata: { ...set.metadata, uid: name, generation: 1, creationTimestamp: made },
    });
  }

  #status(status: NonNullable<Deployment['status']>): void {
    this.deployment = { ...this.deployment, status };
  }
}

const amount = fc.oneof(
  fc.nat(12),
  fc.nat(100).map((each) => `${each}%`),
);
const images = ['v1', 'v2', 'v3'];

function within(world: World): void {
  const { replicas } = world.deployment.spec;
  const { maxSurge, maxUnavailable } = limitsOf(world.deployment);
  const sets = [...world.sets.values()];
  expect(totalReplicas(sets)).toBeLessThanOrEqual(replicas + maxSurge);
  expect(totalAvailable(sets)).toBeGreaterThanOrEqual(replicas - maxUnavailable);
}

/** A Deployment whose pods are all available. */
function settled(replicas: number, up: number | string, down: number | string, pick: (n: number) => number) {
  const world = new World(replicas, up, down);
  world.run(pick, () => {});
  expect(totalAvailable([...world.sets.values()])).toBe(replicas);
  return world;
}

const newest = ({ deployment, sets }: World) => deploymentSnapshot(deployment, [...sets.values()]).newSet;

test('through any update there are never too many pods and never too few available, and it ends with all new', () => {
  fc.assert(
    fc.property(
      fc.nat(12),
      amount,
      amount,
      fc.subarray(images, { minLength: 1 }),
      fc.infiniteStream(fc.nat()),
      (replicas, up, down, updates, stream) => {
        const pick = (count: number) => (stream.next().value as number) % count;
        const world = settled(replicas, up, down, pick);
        for (const image of updates) {
          world.update(image);
          // Start the next update while the previous rollout is still running.
          if (image !== updates.at(-1)) for (let look = 0; look < 4; look++) world.look();
          within(world);
        }
        world.run(pick, () => within(world));
        expect(newest(world)?.status?.availableReplicas ?? 0).toBe(replicas);
        expect(totalReplicas([...world.sets.values()])).toBe(replicas);
      },
    ),
    { numRuns: 200 },
  );
});

test('a broken update stops with enough of the old pods, and going back makes all well again', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      amount,
      amount,
      fc.infiniteStream(fc.nat()),
      (replicas, up, down, stream) => {
        const pick = (count: number) => (stream.next().value as number) % count;
        const world = settled(replicas, up, down, pick);
        world.broken.add('v1');
        world.update('v1');
        world.run(pick, () => within(world));
        const { maxSurge, maxUnavailable } = limitsOf(world.deployment);
        const stuck = newest(world)?.spec.replicas;
        expect(stuck).toBe(Math.min(replicas, maxSurge + maxUnavailable));
        world.update('v0');
        world.run(pick, () => within(world));
        expect(newest(world)?.status?.availableReplicas).toBe(replicas);
        expect(totalReplicas([...world.sets.values()])).toBe(replicas);
      },
    ),
    { numRuns: 200 },
  );
});
