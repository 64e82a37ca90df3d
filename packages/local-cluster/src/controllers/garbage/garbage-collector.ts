import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ReconcileResult } from '@trimtab/kube/queue/reconcile-result.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ControllerContext, LocalController } from '../host/local-controller.ts';
import { servedKinds } from '../host/served-kinds.ts';
import { followChange } from './follow-change.ts';
import { KnownKinds } from './known-kinds.ts';
import { type EndedWatch, MetadataWatches } from './metadata-watches.ts';
import { orphanDependents } from './orphan-dependents.ts';
import { aboutNode, foreground, type Node, OwnerGraph, orphan, referenceText } from './owner-graph.ts';
import { OwnerStates } from './owner-states.ts';
import { type Collection, type JudgedOwner, planCollection } from './plan-collection.ts';
import { dropFinalizer, dropOwners, placeOf, type Seen, unblockOwners } from './release.ts';

/** The key that rediscovers the served kinds. All other keys are UIDs. */
const kindsKey = 'kinds';
/** Timeout for the initial sync of the caches. The collector then continues without them, as in Kubernetes. */
const syncMs = 30_000;

const definitions: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
};
const isDefinition = ({ group, plural }: Resource) =>
  group === definitions.group && plural === definitions.plural;

/**
 * Deletes objects whose owners no longer exist, and completes foreground and orphan deletions. The graph only selects
 * the objects to check; every decision uses the current state of the API server.
 */
export class GarbageCollector implements LocalController {
  readonly name = 'garbage-collector-controller';
  readonly concurrency = 20;
  readonly #context: ControllerContext;
  readonly #client: KubeClient;
  readonly #graph = new OwnerGraph();
  readonly #states: OwnerStates;
  readonly #watches: MetadataWatches;
  #kinds = new KnownKinds();
  /** Keys that wait until the caches are synced. Undefined once they are. */
  #held: Set<string> | undefined = new Set();
  /** UIDs of objects whose owners are of a kind that is not served. They are checked again when the kinds change. */
  #puzzled = new Set<string>();
  /** Kinds that are no longer served and whose objects are still in the graph. */
  readonly #ended: EndedWatch[] = [];
  /** Aborts when a change of a CustomResourceDefinition invalidates the known kinds. */
  #outdated = new AbortController();
  #enqueue: (key: string) => void = () => {};

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#client = context.clientAs('generic-garbage-collector');
    this.#states = new OwnerStates(this.#client);
    this.#watches = new MetadataWatches({
      client: this.#client,
      log: context.log,
      clock: context.clock,
      onChange: (resource, before, after) => this.#follow(resource, before, after),
    });
  }

  listen(enqueue: (key: string) => void): (() => void)[] {
    this.#enqueue = enqueue;
    enqueue(kindsKey);
    return [() => this.#watches.close()];
  }

  async reconcile(key: string, signal: AbortSignal): Promise<ReconcileResult | undefined> {
    if (key === kindsKey) await this.#learnKinds(signal);
    else if (this.#held !== undefined) this.#held.add(key);
    else await this.#collect(key, signal);
    return undefined;
  }

  #follow(resource: Resource, before: Node | undefined, after: Node | undefined): void {
    if (isDefinition(resource)) {
      this.#enqueue(kindsKey);
      this.#outdated.abort();
    }
    if (before !== undefined && before.uid !== after?.uid) {
      this.#states.gone(before.uid);
      this.#puzzled.delete(before.uid);
    }
    const { look, outOfReach } = followChange(this.#graph, before, after);
    for (const { dependent, reference } of outOfReach) {
      const text = referenceText(reference, dependent.namespace);
      const message = `ownerRef ${text} does not exist in namespace ${JSON.stringify(dependent.namespace ?? '')}`;
      this.#context.recordEvent(aboutNode(dependent), 'Warning', 'OwnerRefInvalidNamespace', message);
    }
    for (const uid of look) this.#enqueue(uid);
  }

  async #learnKinds(signal: AbortSignal): Promise<void> {
    this.#outdated = new AbortController();
    const isOutdated = this.#outdated.signal;
    this.#kinds = new KnownKinds(await servedKinds(this.#client, signal));
    this.#held ??= new Set();
    this.#ended.push(...this.#watches.follow(this.#kinds.collectable));
    for (let ended = this.#ended[0]; ended !== undefined; ended = this.#ended[0]) {
      await this.#forgetKind(ended, signal);
      this.#ended.shift();
    }
    try {
      const tooLong = AbortSignal.timeout(syncMs);
      await this.#watches.waitForSync(AbortSignal.any([signal, isOutdated, tooLong]));
    } catch (err) {
      signal.throwIfAborted();
      // A kind that is removed right after it is defined never syncs. The rediscovery, already queued, leaves it out.
      if (isOutdated.aborted) return;
      this.#context.log.warn({ err }, 'cache sync timed out; continuing without the missing kinds');
    }
    const waiting = new Set([...this.#held, ...this.#puzzled]);
    this.#held = undefined;
    this.#puzzled.clear();
    for (const uid of waiting) this.#enqueue(uid);
  }

  async #forgetKind({ resource, nodes }: EndedWatch, signal: AbortSignal): Promise<void> {
    if (this.#kinds.hasKindOf(resource)) return;
    const definition = await this.#get(definitions, { name: `${resource.plural}.${resource.group}` }, signal);
    for (const node of nodes) {
      if (definition === undefined) this.#follow(resource, node, undefined);
      else {
        // The objects of a kind that is defined but not served still exist and still own their dependents. Without a
        // watch their deletion goes unnoticed, so the dependents are checked when the kind is served again.
        for (const { uid } of this.#graph.dependentsOf(node.uid)) this.#puzzled.add(uid);
        this.#graph.remove(node.uid);
      }
    }
  }

  async #collect(uid: string, signal: AbortSignal): Promise<void> {
    const node = this.#graph.get(uid);
    if (node === undefined || (node.isGoing && node.waitsFor === undefined)) return;
    const { resource } = node;
    const latest = await this.#get(resource, placeOf(metaOf(node)), signal);
    // The object is deleted, or was recreated under the same name; the watch reports this.
    if (latest === undefined || latest.metadata.uid !== uid) return;
    const seen: Seen = { resource, metadata: latest.metadata };
    const { deletionTimestamp, finalizers = [], ownerReferences = [] } = latest.metadata;
    if (deletionTimestamp !== undefined && finalizers.includes(orphan))
      return orphanDependents(this.#client, this.#kinds.collectable, seen, signal);
    if (deletionTimestamp !== undefined && finalizers.includes(foreground)) return this.#goLast(seen);
    const owners: JudgedOwner[] = [];
    for (const reference of ownerReferences) {
      const kind = this.#kinds.of(reference);
      if (kind === undefined) return void this.#puzzled.add(uid);
      // A cluster-scoped object cannot have a namespaced owner. The owner cannot be looked up, so it is never absent.
      if (kind.namespaced && node.namespace === undefined) return;
      const state = await this.#states.of(node, reference, kind, signal);
      if (state === undefined) return void this.#puzzled.add(uid);
      owners.push({ reference, state });
    }
    const dependents = this.#graph
      .dependentsOf(uid)
      .map(({ waitsFor }) => ({ waits: waitsFor === 'dependents' }));
    await this.#carryOut(seen, planCollection({ owners, finalizers, dependents }));
  }

  async #carryOut(seen: Seen, plan: Collection): Promise<void> {
    const client = this.#client;
    if (plan.act === 'keep') return;
    if (plan.act === 'drop-owners') return dropOwners(client, seen, plan.uids);
    const { resource, metadata } = plan.unblock ? await unblockOwners(client, seen) : seen;
    const { uid = '', resourceVersion = '' } = metadata;
    // The resourceVersion that was evaluated: an owner added since then must prevent the deletion.
    const preconditions = { uid, resourceVersion };
    await client.delete(resource, placeOf(metadata), { preconditions, propagationPolicy: plan.policy });
  }

  /** Foreground deletion: the object is deleted when no blocking dependent is left. */
  async #goLast(seen: Seen): Promise<void> {
    const blocking = this.#graph.blockingDependentsOf(seen.metadata.uid ?? '');
    if (blocking.length === 0) return dropFinalizer(this.#client, seen, foreground);
    for (const { uid, waitsFor } of blocking) if (waitsFor !== 'dependents') this.#enqueue(uid);
  }

  async #get(
    resource: Resource,
    where: { namespace?: string; name: string },
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    return this.#client
      .get<KubeObject>(resource, where, { projection: 'metadata', signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
  }
}

function metaOf({ namespace, name }: Node): { namespace?: string; name: string } {
  return { name, ...(namespace !== undefined && { namespace }) };
}
