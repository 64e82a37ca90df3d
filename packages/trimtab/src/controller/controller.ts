import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { createEventRecorder } from '@trimtab/kube/events/recorder.ts';
import type { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import { runAsLeader } from '@trimtab/kube/lease/run-as-leader.ts';
import type { LeaseTiming } from '@trimtab/kube/lease/timing.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import { WorkQueue } from '@trimtab/kube/queue/work-queue.ts';
import { type WriteThrough, writeThroughClient } from '@trimtab/kube/watch/write-through-client.ts';
import type { ReferenceWay } from '../core/references/reference-way.ts';
import type { ReleaseMode } from '../core/workload/opt-in.ts';
import { activationMetrics } from './activation/activation-metrics.ts';
import { ActivationReconciler } from './activation/activation-reconciler.ts';
import { rolloutMetrics } from './activation/rollout-metrics.ts';
import { ClusterCache, type ReloaderScope } from './cache/cluster-cache.ts';
import type { ControllerContext } from './context.ts';
import { isStale } from './guarded-patch.ts';
import { type InjectionOptions, injectionOf } from './injection/injection-options.ts';
import { LockedConfigs } from './locked/locked-configs.ts';
import { type Installation, installation, unblockedNamespaces } from './manifests/installation.ts';
import { Notifier } from './notifications/notifier.ts';
import { openTargetsFile } from './notifications/targets-file.ts';
import { Ownership } from './ownership/ownership.ts';
import { PodAdmission } from './pod-admission/pod-admission.ts';
import { reconcileMetrics } from './reconcile-metrics.ts';
import type { Reconciler } from './reconciler.ts';
import { Removal } from './removal/removal.ts';
import { ReportRetention } from './reports/report-retention.ts';
import { Retention } from './retention/retention.ts';
import { versionMetrics } from './retention/version-metrics.ts';
import { MountableSecrets } from './service-accounts/mountable-secrets.ts';
import { CoalescingWindow } from './version/coalescing-window.ts';
import { Denials } from './version/denials.ts';
import { ensureFirstVersion } from './version/first-version.ts';
import { ReleaseDefaults } from './version/release-defaults.ts';
import { VersionReconciler } from './version/version-reconciler.ts';
import { joinWorkload } from './webhook/join-workload.ts';
import { lookupInCache } from './webhook/lookup-in-cache.ts';
import { unknownVersions } from './webhook/named-versions.ts';
import { runWebhook, type WebhookOptions } from './webhook/run-webhook.ts';
import { AdoptionReconciler } from './workload/adoption-reconciler.ts';
import { FieldOwners } from './workload/field-owners.ts';
import { MoveByAdmission } from './workload/move-by-admission.ts';
import { reportOtherReloaderKinds } from './workload/other-reloader-kinds.ts';

export interface ControllerOptions {
  client: KubeClient;
  log: Logger;
  metrics: Registry;
  checks: HealthChecks;
  clock?: Clock;
  /** The only namespaces to manage; optional, defaults to all namespaces. */
  namespaces?: readonly string[];
  /** Namespace of the leader election Lease. */
  homeNamespace: string;
  leaseTiming: LeaseTiming;
  /** Address of the admission webhook; optional, without it no webhook is served. */
  webhook?: Pick<WebhookOptions, 'host' | 'port' | 'portFlag' | 'webhookUrl'>;
  secrets: boolean;
  /** File with the receivers of notifications; optional, without it none are sent. */
  notifications?: string;
  /** Injects the agent into pods that request a reload; optional, without it such pods are recycled. */
  injection?: InjectionOptions;
  reloaderAnnotations: boolean;
  /** Where annotations of Reloader opt in; optional, defaults to everywhere. */
  reloaderScope?: ReloaderScope;
  /** Whether the MutatingAdmissionPolicies of `trimtab manifests` are installed. */
  mutatingPolicies?: boolean;
  /** Release mode of configs that opt in, where neither they nor their namespace set one. Defaults to Auto. */
  release?: ReleaseMode;
  /** How the pod templates of workloads without the annotation `trimtab.dev/references` assign versions. */
  references?: ReferenceWay;
  /** How long new policies have to be there before they count; optional, defaults to some seconds. */
  policiesSettleMs?: number;
  coalesceMs: number;
  /** How long a ConfigRollout is unused before it is deleted; 0 keeps it for ever. */
  removeUnusedAfterMs: number;
  signal: AbortSignal;
  /**
   * Called when reconciliations still run although another replica may have become the leader. Only the end of the
   * process stops them.
   */
  onOverdue: () => void;
}

const drainMs = 4_000;
/** A rollout that is stalled for a shorter time is not worth a notification. */
const stalledForMs = 60_000;
const usualConcurrency = 16;
/** A watch without event or bookmark for this long is dead: API servers send a bookmark every minute. */
const silentTooLongSeconds = 180;

/**
 * Runs the controller until `signal` aborts. Every replica runs the watches, so a new leader starts with a warm cache;
 * only the leader writes.
 */
export async function runController(options: ControllerOptions): Promise<void> {
  const { client, log, metrics, signal, namespaces, clock = systemClock } = options;
  const names = installation(options);
  const cluster = new ClusterCache({
    client,
    log,
    metrics,
    clock,
    secrets: options.secrets,
    reloads: options.injection !== undefined,
    ...(namespaces !== undefined && { namespaces }),
    ...(options.reloaderScope !== undefined && { reloaderScope: options.reloaderScope }),
  });
  const recorder = createEventRecorder({ client, component: 'trimtab', log, metrics, clock });
  const writeThrough = writeThroughClient(client, (...noted) => cluster.note(...noted));
  const hasAdmission = options.webhook !== undefined || options.mutatingPolicies === true;
  const podAdmission = hasAdmission
    ? new PodAdmission({
        client,
        clock,
        log,
        names,
        webhook: options.webhook !== undefined,
        mutatingPolicies: options.mutatingPolicies === true,
        ...(options.policiesSettleMs !== undefined && { settleMs: options.policiesSettleMs }),
      })
    : undefined;
  const context: ControllerContext = {
    client: writeThrough.client,
    direct: client,
    cluster,
    log,
    clock,
    coalescing: new CoalescingWindow(clock, options.coalesceMs),
    releaseDefaults: new ReleaseDefaults({ client, log, usual: options.release ?? 'Auto' }),
    denials: new Denials(),
    followDenials: new Denials(),
    moves: new MoveByAdmission(clock, hasAdmission),
    referenceWays: {
      usual: options.references ?? 'template',
      podAdmission,
      unblocked: unblockedNamespaces(names),
    },
    podAdmission,
    mountableSecrets: new MountableSecrets(client, clock),
    recordEvent: (about, type, reason, message) => recorder.event(about, type, reason, message),
    countActivation: activationMetrics(metrics),
    reloads: options.injection !== undefined,
    reloaderAnnotations: options.reloaderAnnotations,
  };
  versionMetrics(metrics, cluster);
  rolloutMetrics(metrics, cluster);
  options.checks.addReadiness('watches', () => deadWatch(cluster));
  const notifier = await notifierOf(options, names, clock);
  const watching = Promise.all([cluster.run(signal), podAdmission?.run(signal)]);
  const candidacy = runAsLeader(
    {
      client,
      lease: {
        namespace: options.homeNamespace,
        name: names.lease,
      },
      timing: options.leaseTiming,
      signal,
      log,
      metrics,
      clock,
      onOverdue: options.onOverdue,
    },
    async (leading, { holds }) => {
      const handling = { ...writeThrough, holds, metrics };
      await Promise.all([
        reconcile(context, leading, options, handling),
        notifier && whenInSync(context, leading).then(() => notifier.run(cluster.rollouts, leading)),
      ]);
    },
  );
  options.checks.addLiveness('leadership', () => candidacy.problem());
  const serving = options.webhook && serveWebhook(context, names, options, options.webhook);
  await Promise.all([watching, candidacy.ended, serving]);
  await recorder.close(1_000);
}

async function notifierOf(
  { notifications, client, log, metrics, signal }: ControllerOptions,
  { homeNamespace, notificationRecord }: Installation,
  clock: Clock,
): Promise<Notifier | undefined> {
  if (notifications === undefined) return undefined;
  const file = await openTargetsFile(notifications, { clock, log, signal });
  const record = { namespace: homeNamespace, name: notificationRecord };
  return new Notifier({ client, clock, log, metrics, record, file, stalledForMs });
}

/** Serves the webhook. Every replica serves it, not only the leader. */
async function serveWebhook(
  context: ControllerContext,
  names: Installation,
  { metrics, signal, injection, homeNamespace }: ControllerOptions,
  where: NonNullable<ControllerOptions['webhook']>,
): Promise<void> {
  const { client, cluster, clock, log, reloaderAnnotations, mountableSecrets } = context;
  let isInSync = false;
  const syncing = whenInSync(context, signal).then(() => {
    isInSync = true;
  });
  const lookup = lookupInCache(cluster, context);
  const pods = injection && {
    injection: injectionOf(injection, context.direct, homeNamespace, clock),
    ...{ cluster, reloaderAnnotations, client: context.direct },
  };
  const first: WebhookOptions['ensureFirstVersion'] = (ns, kind, name, given) =>
    ensureFirstVersion(context, { namespace: ns, kind, name }, given);
  const admission = {
    lookup,
    ensureFirstVersion: first,
    joinWorkload: joinWorkload(context),
    unknownVersions: unknownVersions(context),
    mountableSecrets,
    isInSync: () => isInSync,
  };
  const options = { client, clock, log, metrics, ...admission, ...where };
  const serving = runWebhook({ ...options, ...(pods && { pods }), installation: names }, signal);
  await Promise.all([serving, syncing]);
}

/** What each reconciliation checks before it decides, and where it is counted. */
type Handling = Pick<WriteThrough, 'confirmWrites'> & { holds: () => boolean; metrics: Registry };

async function reconcile(
  context: ControllerContext,
  signal: AbortSignal,
  { removeUnusedAfterMs, namespaces }: Pick<ControllerOptions, 'removeUnusedAfterMs' | 'namespaces'>,
  handling: Handling,
): Promise<void> {
  const { log } = context;
  await whenInSync(context, signal);
  const reconcilers: Reconciler[] = [
    new AdoptionReconciler(context),
    new VersionReconciler(context),
    new ActivationReconciler(context),
    new LockedConfigs(context),
    new FieldOwners(context),
    new Ownership(context),
    new Retention(context),
    ...(context.reloads ? [new ReportRetention(context)] : []),
    ...(removeUnusedAfterMs > 0 ? [new Removal(context, removeUnusedAfterMs)] : []),
  ];
  const queues = reconcilers.map((reconciler) => queueOf(reconciler, context, handling));
  const subscriptions = reconcilers.flatMap((reconciler, index) =>
    reconciler.listen((key, delayMs = reconciler.delayMs ?? 0) => queues[index]?.addAfter(key, delayMs)),
  );
  for (const queue of queues) queue.start();
  log.info({ reconcilers: reconcilers.map(({ name }) => name) }, 'reconcilers started');
  const reporting = reportOtherReloaderKinds(context, namespaces, signal);
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const end of subscriptions) end();
  await Promise.all([reporting, ...queues.map((queue) => queue.drain(drainMs))]);
}

/** Waits for the cache, and until it is known whether admission writes versions into pods. */
async function whenInSync({ cluster, podAdmission }: ControllerContext, signal: AbortSignal): Promise<void> {
  await cluster.waitForSync(signal);
  await podAdmission?.observed(signal);
}

function queueOf(
  reconciler: Reconciler,
  { log, clock }: ControllerContext,
  { confirmWrites, holds, metrics }: Handling,
): WorkQueue {
  const labelled = { reconciler: reconciler.name };
  const { total, errors, seconds } = reconcileMetrics(metrics);
  return new WorkQueue({
    name: reconciler.name,
    concurrency: reconciler.concurrency ?? usualConcurrency,
    log,
    clock,
    metrics,
    async handle(key, { signal }) {
      // A process that was frozen resumes before it learns that it lost the Lease. The new leader reconciles all keys.
      if (!holds()) return undefined;
      const began = clock.monotonic();
      total.inc(labelled);
      try {
        await confirmWrites(signal);
        return await reconciler.reconcile(key, signal);
      } catch (error) {
        // The cache was stale, which is normal; the watch delivers the missing change shortly.
        if (isStale(error)) return { staleCache: true };
        errors.inc(labelled);
        throw error;
      } finally {
        seconds.observe(labelled, (clock.monotonic() - began) / 1000);
      }
    },
  });
}

function deadWatch(cluster: ClusterCache): string | undefined {
  for (const watch of cluster.watches()) {
    const { synced, secondsSinceActivity, failingForSeconds, lastErrorCode } = watch.health();
    if (!synced) return `watch of ${watch.name}: initial sync is not complete`;
    if (secondsSinceActivity > silentTooLongSeconds)
      return `watch of ${watch.name}: no event or bookmark for ${Math.round(secondsSinceActivity)} s`;
    if ((failingForSeconds ?? 0) > 30)
      return `watch of ${watch.name}: failing for ${Math.round(failingForSeconds ?? 0)} s (${lastErrorCode})`;
  }
  return undefined;
}
