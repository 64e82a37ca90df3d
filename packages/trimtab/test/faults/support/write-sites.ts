import type { RequestInfo } from '@trimtab/test-bed/fault-proxy/request-info.ts';
import { annotations, labels } from '../../../src/api/names.ts';

interface Operation {
  op: string;
  path: string;
  value?: unknown;
}

interface Body {
  metadata?: {
    labels?: Record<string, string | null>;
    annotations?: Record<string, string | null>;
    ownerReferences?: unknown[];
  };
  data?: unknown;
  binaryData?: unknown;
}

/**
 * Returns the write site: a name for the place in the controller that makes a write, derived from method, resource
 * and body. Faults are injected and counted by write site. Returns undefined for Leases and Events, which are not
 * part of an activation.
 */
export function writeSite({ verb, resource, subresource }: RequestInfo, text: string): string | undefined {
  if (resource === 'leases' || resource === 'events') return undefined;
  const body: unknown = text === '' ? undefined : JSON.parse(text);
  const site =
    resource === 'configrollouts'
      ? rolloutSite(verb, subresource, body)
      : resource === 'configmaps' || resource === 'secrets'
        ? configSite(verb, body)
        : resource === 'pods' && verb === 'delete'
          ? 'pod deleted'
          : workloadSite(verb, body);
  return site ?? `unknown (${verb} ${resource})`;
}

function rolloutSite(verb: string, subresource: string | undefined, body: unknown): string | undefined {
  if (verb === 'create') return 'rollout created';
  if (verb === 'delete') return 'rollout deleted';
  if (subresource === 'status') return statusSite(body);
  if (verb !== 'patch') return undefined;
  if (Array.isArray(body)) {
    const change = (body as Operation[]).find(({ op }) => op !== 'test');
    if (change?.path === '/spec/version') return 'wish cleared';
    return change?.path.endsWith('ledger') ? ledgerSite(change.value) : undefined;
  }
  const { annotations: written = {} } = (body as Body).metadata ?? {};
  if (written[annotations.ledger] !== undefined) return ledgerSite(written[annotations.ledger]);
  const listed = written[annotations.workloads];
  if (listed === undefined) return undefined;
  return listed === '[]' ? 'workload struck off' : 'workload listed';
}

function statusSite(body: unknown): string | undefined {
  if (!Array.isArray(body)) return undefined;
  const change = (body as Operation[]).find(({ op, path }) => op !== 'test' && path === '/status');
  return change && `status ${(change.value as { phase?: string }).phase}`;
}

/** A ledger is written for a rollout that a user created without one, and before versions are deleted. */
function ledgerSite(text: unknown): string {
  const { deletedObjects } = JSON.parse(String(text)) as { deletedObjects: string };
  return deletedObjects === '' ? 'ledger begun' : 'deletion recorded';
}

function configSite(verb: string, body: unknown): string | undefined {
  if (verb === 'create') return 'version created';
  if (verb === 'delete') return 'version deleted';
  if (Array.isArray(body)) return markSite(body as Operation[]);
  if ('data' in (body as Body) || 'binaryData' in (body as Body)) return 'locked config updated';
  const { labels: written = {}, ownerReferences } = (body as Body).metadata ?? {};
  if (ownerReferences !== undefined || written[labels.inUse] !== undefined) return 'version owned';
  if (written[labels.config] !== undefined) return 'original labelled';
  if (written[labels.locked] === undefined) return undefined;
  return written[labels.locked] === null ? 'original unlocked' : 'original locked';
}

function markSite(operations: Operation[]): string | undefined {
  const changes = operations.filter(({ op }) => op !== 'test');
  const state = changes.find(({ path }) => path.endsWith('state'));
  if (state !== undefined) return `version marked ${state.value}`;
  if (changes.some(({ path }) => path.endsWith('in-use'))) return 'version marked in use';
  if (changes.some(({ path }) => path.endsWith('purge'))) return 'purge mark removed';
  return changes.length === 0 ? 'version made sure of' : 'version rejection changed';
}

function workloadSite(verb: string, body: unknown): string | undefined {
  if (verb !== 'patch' || !Array.isArray(body)) return undefined;
  const changes = (body as Operation[]).filter(({ op }) => op !== 'test');
  if (changes.some(({ path }) => path.startsWith('/metadata/managedFields/')))
    return 'workload fields given back';
  // A workload that opts out is reverted to the originals and loses the annotations of Trimtab.
  if (changes.some(({ op, path }) => op === 'remove' && path.startsWith('/metadata/annotations/')))
    return 'workload released';
  const isReference = ({ path }: Operation) => path.startsWith('/spec/template');
  if (!changes.some(isReference)) return 'workload noted';
  // A workload that is reverted gets from one version to the previous one, which stays its way back. A manifest that was
  // applied again names configs themselves, and an update has another way back.
  const record = (body as Operation[]).findLast(({ path }) => path.endsWith('~1assignment'))?.value;
  const { previous = {} } = JSON.parse(String(record ?? '{}')) as { previous?: Record<string, string> };
  const isBack = changes
    .filter(isReference)
    .every(({ value }) => Object.values(previous).includes(String(value)));
  const tested = (body as Operation[]).filter((each) => each.op === 'test' && isReference(each));
  const wasVersion = tested.every(({ value }) => /-[a-z2-7]{10}$/.test(String(value)));
  return isBack && wasVersion ? 'workload reverted' : 'workload assigned';
}
