import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { type InjectablePod, inject } from '../../core/injection/inject.ts';
import { workloadKey } from '../../core/workload/workload-key.ts';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { AdmissionRequest, Mutation, PatchOperation } from '../webhook/admission-review.ts';
import type { AdmissionResult } from '../webhook/admit-workload.ts';
import { withinDeadline } from '../webhook/within-deadline.ts';
import { assignedToPod } from './assigned-to-pod.ts';
import { podOwner } from './pod-owner.ts';

/** What the controller writes into injected pods. */
export interface Injection {
  agentImage: string;
  /** URL of the gateway, as agents reach it. */
  gatewayUrl: string;
  /** PEM certificates that agents trust for the gateway. */
  gatewayCa(signal: AbortSignal): Promise<string>;
  /** Whether the cluster serves environment variables from files. */
  envFiles(signal: AbortSignal): Promise<boolean>;
}

export interface PodAdmissionOptions {
  injection: Injection;
  cluster: ClusterCache;
  client: Pick<KubeClient, 'get'>;
  reloaderAnnotations: boolean;
  clock: Clock;
  log: Logger;
  /** Timeout of a request; shorter than the timeout of the API server. */
  timeoutMs: number;
}

/**
 * Injects the agent into a pod. A pod that cannot be injected is refused: without its agent it would run whatever the
 * live config holds, and could not be reloaded.
 */
export async function admitPod(
  request: AdmissionRequest<InjectablePod>,
  options: PodAdmissionOptions,
): Promise<{ mutation: Mutation; result: AdmissionResult }> {
  const { clock, log, timeoutMs } = options;
  const object = { kind: 'Pod', namespace: request.namespace, name: request.name ?? '' };
  try {
    const mutation = await withinDeadline(clock, timeoutMs, (signal) => decide(request, options, signal));
    if (mutation === undefined) {
      log.warn({ object }, 'injection timed out; pod refused');
      return {
        mutation: refused('the injection of the agent timed out; the controller of the pod creates it again'),
        result: 'late',
      };
    }
    if (mutation.denied !== undefined) return { mutation, result: 'denied' };
    return { mutation, result: mutation.patch.length > 0 ? 'patched' : 'unchanged' };
  } catch (err) {
    log.error({ object, err }, 'injection failed; pod refused');
    const why = err instanceof Error ? err.message : 'unknown error';
    return { mutation: refused(`the agent could not be injected: ${why}`), result: 'failed' };
  }
}

async function decide(
  { object, namespace }: AdmissionRequest<InjectablePod>,
  { injection, cluster, client, reloaderAnnotations }: PodAdmissionOptions,
  signal: AbortSignal,
): Promise<Mutation> {
  const workload = await podOwner(cluster, client, namespace, object, signal);
  const result = inject(object, {
    agentImage: injection.agentImage,
    gatewayUrl: injection.gatewayUrl,
    gatewayCa: await injection.gatewayCa(signal),
    envFiles: await injection.envFiles(signal),
    podIpFamily: isIPv6(process.env['KUBERNETES_SERVICE_HOST'] ?? '') ? 'IPv6' : 'IPv4',
    versions: assignedToPod({ cluster, reloaderAnnotations }, namespace, workload),
    token: randomBytes(32).toString('base64url'),
    ...(workload && { workload: workloadKey(workload.kind, workload.name) }),
  });
  if ('problems' in result) return refused(result.problems.join('; '));
  const { pod, warnings } = result;
  return {
    patch: pod === object ? [] : replaced(object, pod),
    warnings: warnings.map((warning) => `trimtab: ${warning}`),
  };
}

function refused(why: string): Mutation {
  return { patch: [], warnings: [], denied: `trimtab: ${why}` };
}

/** Injection changes labels, annotations and the spec of a pod. */
function replaced(before: InjectablePod, after: InjectablePod): PatchOperation[] {
  return [
    ...replacedMap(before, after, 'labels'),
    ...replacedMap(before, after, 'annotations'),
    { op: 'add', path: '/spec', value: after.spec },
  ];
}

function replacedMap(
  before: InjectablePod,
  after: InjectablePod,
  map: 'labels' | 'annotations',
): PatchOperation[] {
  const [old, value] = [before.metadata[map], after.metadata[map]];
  const path = `/metadata/${map}`;
  if (value === undefined) return old === undefined ? [] : [{ op: 'remove', path }];
  return [{ op: 'add', path, value }];
}
