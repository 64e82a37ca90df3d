import type { KubeObject } from '@trimtab/kube/wire.ts';

export interface Condition {
  type: string;
  status: string;
  reason?: string;
  message?: string;
}

interface ContainerStatus {
  name: string;
  ready?: boolean;
  restartCount?: number;
  state?: Record<string, { reason?: string; message?: string; exitCode?: number } | null>;
}

interface Described extends KubeObject {
  spec?: { replicas?: number };
  status?: {
    phase?: string;
    observedGeneration?: number;
    conditions?: Condition[];
    containerStatuses?: ContainerStatus[];
    [count: string]: unknown;
  };
}

/** Describes the state of any object in one line, for the error of a test that waited for another state. */
export function summaryOf(object: Described): string {
  const { metadata, status = {} } = object;
  const parts = [
    status.phase,
    metadata.deletionTimestamp === undefined ? undefined : 'being deleted',
    countsOf(object),
    generationOf(object),
    ...(status.containerStatuses ?? []).map(containerSummary),
    ...(status.conditions ?? []).filter(isNews).map(conditionSummary),
  ].filter((part) => part !== undefined && part !== '');
  const state = parts.length === 0 ? `resourceVersion ${metadata.resourceVersion}` : parts.join(', ');
  return `${object.kind} ${metadata.name}: ${state}`;
}

function countsOf({ spec, status = {} }: Described): string | undefined {
  const counts = Object.entries(status)
    .filter(([key, value]) => typeof value === 'number' && /replicas$|^number|NumberScheduled$/i.test(key))
    .map(([key, value]) => `${key} ${value}`);
  if (spec?.replicas !== undefined) counts.unshift(`desired ${spec.replicas}`);
  return counts.join(' ');
}

function generationOf({ metadata, status }: Described): string | undefined {
  if (status?.observedGeneration === undefined || status.observedGeneration === metadata.generation)
    return undefined;
  return `generation ${metadata.generation} not observed yet (${status.observedGeneration})`;
}

function containerSummary({ name, ready, restartCount = 0, state = {} }: ContainerStatus): string {
  const [kind = 'unknown', detail] = Object.entries(state).find(([, value]) => value !== null) ?? [];
  const exit = detail?.exitCode === undefined ? undefined : `exit ${detail.exitCode}`;
  const why = [detail?.reason, exit, detail?.message].filter((part) => part !== undefined).join(', ');
  const restarts = restartCount === 0 ? '' : `, ${restartCount} restarts`;
  return `container ${name} ${kind}${why === '' ? '' : ` (${why})`}${ready ? '' : ', not ready'}${restarts}`;
}

/** Whether a condition reports a problem. Conditions that report a healthy state are omitted. */
function isNews({ type, status }: Condition): boolean {
  const badWhenTrue = /Failure|Degraded|Pressure|Disruption/.test(type);
  return badWhenTrue ? status === 'True' : status !== 'True';
}

function conditionSummary({ type, status, reason, message }: Condition): string {
  const why = [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
  return `${type}=${status}${why === '' ? '' : ` (${why})`}`;
}
