import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import { deployments, pods, replicaSets } from '@trimtab/kube/resource.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Deployment, ReplicaSet } from '../../objects/workloads.ts';
import type { Informer } from '../host/informers.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { referenceTo } from '../host/reference-to.ts';
import { carryOutClaim } from '../pods/carry-out-claim.ts';
import { claim, controllerOf } from '../pods/claim.ts';
import { keysOfOwners } from '../pods/keys-of-owners.ts';
import { createSet, type PodWriters, removeSets, scaleSets, writeChange, writeStatus } from './carry-out.ts';
import { allSets, type DeploymentSnapshot, deploymentSnapshot } from './deployment-snapshot.ts';
import { countedStatus, rolloutStatus } from './deployment-status.ts';
import { type Plan, planDeployment } from './plan-deployment.ts';
import { deadlineInMs } from './progress.ts';

/** Moves the pods of each Deployment to its current template by creating and scaling ReplicaSets. */
export function deploymentController(context: ControllerContext): LocalController {
  return new DeploymentController(context);
}

class DeploymentController implements LocalController {
  readonly name = 'deployment-controller';
  readonly #context: ControllerContext;
  readonly #deployments: Informer<Deployment>;
  readonly #sets: Informer<ReplicaSet>;
  readonly #pods: Informer<Pod>;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#deployments = context.informers.of(deployments);
    this.#sets = context.informers.of(replicaSets);
    this.#pods = context.informers.of(pods);
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    return [
      this.#deployments.subscribe(({ key }) => enqueue(key)),
      this.#sets.subscribe((change) => {
        for (const key of keysOfOwners('Deployment', change, this.#deployments)) enqueue(key);
      }),
      this.#pods.subscribe(({ before, after }) => {
        const key = before && (after === undefined || isOver(after)) ? this.#waitingFor(before) : undefined;
        if (key !== undefined) enqueue(key);
      }),
    ];
  }

  async reconcile(key: string): Promise<ReconcileResult | undefined> {
    const deployment = this.#deployments.get(key);
    if (deployment === undefined) return undefined;
    const seen = deploymentSnapshot(deployment, await this.#claimSets(deployment));
    const plan = planDeployment({ ...seen, hasOldPods: this.#hasOldPods(seen) });
    const { client, clock, recordEvent } = this.#context;
    const means: PodWriters = {
      client,
      now: clock.now(),
      recordEvent: (type, reason, message) =>
        recordEvent(referenceTo(deployments, deployment), type, reason, message),
    };
    switch (plan.do) {
      case 'recordEvent':
        await writeChange(means, deployment, plan);
        return undefined;
      case 'adjust':
        await client.update(replicaSets, plan.set);
        return undefined;
      case 'create':
        await createSet(means, deployment, plan.set);
        return undefined;
      case 'settle':
        return this.#settle(means, seen, plan);
    }
  }

  async #settle(
    means: PodWriters,
    seen: DeploymentSnapshot,
    { scale, remove, rollout }: Extract<Plan, { do: 'settle' }>,
  ): Promise<ReconcileResult | undefined> {
    const { deployment } = seen;
    const scaled = await scaleSets(means, deployment, scale);
    await removeSets(means.client, remove);
    const left = allSets(seen)
      .filter((set) => !remove.includes(set))
      .map((set) => scaled.get(set.metadata.uid ?? '') ?? set);
    const after = deploymentSnapshot(deployment, left);
    const now = this.#context.clock.now();
    const status = rollout ? rolloutStatus(after, now) : countedStatus(after, now);
    if (!isDeepStrictEqual(status, deployment.status)) await writeStatus(means.client, deployment, status);
    const inMs = rollout ? deadlineInMs(deployment, status, now) : undefined;
    return inMs === undefined ? undefined : { requeueAfterMs: inMs };
  }

  async #claimSets(deployment: Deployment): Promise<ReplicaSet[]> {
    const { uid = '', namespace = '' } = deployment.metadata;
    const candidates = [...this.#sets.controlledBy(uid), ...this.#sets.orphansIn(namespace)];
    return carryOutClaim(
      this.#context.client,
      { owner: deployment, ownerResource: deployments, resource: replicaSets },
      claim(deployment, deployment.spec.selector, candidates),
    );
  }

  #hasOldPods({ oldSets }: DeploymentSnapshot): boolean {
    return oldSets.some(
      ({ metadata, status }) =>
        (status?.replicas ?? 0) > 0 ||
        this.#pods.controlledBy(metadata.uid ?? '').some((pod) => !isOver(pod)),
    );
  }

  /** The key of the Recreate Deployment that waits for this pod to end before it creates new pods. */
  #waitingFor(pod: Pod): string | undefined {
    const { namespace } = pod.metadata;
    const set = this.#sets.get(`${namespace}/${controllerOf(pod)?.name}`);
    const key = `${namespace}/${set && controllerOf(set)?.name}`;
    return this.#deployments.get(key)?.spec.strategy.type === 'Recreate' ? key : undefined;
  }
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
