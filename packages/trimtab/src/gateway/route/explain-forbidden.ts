import type { KubeClient } from '@trimtab/kube/client.ts';
import { ApiError, isForbidden } from '@trimtab/kube/transport/errors.ts';
import { type CallNeeds, missingText, type Need, needsText } from '../../core/installation/caller-needs.ts';
import { Refusal } from '../../versions/refusal.ts';
import { isAllowed, MissingRight } from '../../versions/require-right.ts';
import type { Caller } from '../request/gateway-request.ts';
import { rightOf } from './right-of.ts';
import type { Route } from './route.ts';

/**
 * Adds to the 403 of an own route which right the caller lacks, what the call needs in all, and which roles grant it.
 * The API server's own message stays in front. It also refuses for other reasons, such as a quota or a policy: a right
 * is named only if the API server says that the caller lacks it.
 */
export async function explainForbidden(
  error: unknown,
  { document: { rights } }: Pick<Route, 'document'>,
  caller: Caller,
  { namespace = '', name = '' }: Record<string, string>,
): Promise<unknown> {
  if (rights === undefined || caller.is !== 'person') return error;
  if (error instanceof MissingRight)
    return refusal(403, `${error.body.message}. ${inAll(rights)}`, error.body.details);
  if (!(error instanceof ApiError) || !isForbidden(error)) return error;
  // A policy demands `update` on the config itself for a write of its versions and its ConfigRollout.
  const update = rights.needs.filter(({ verb }) => verb === 'update').map((need) => ({ ...need, name }));
  const failed = rightOf(error.request);
  // A server-side apply that creates the object needs both rights.
  const create = rights.needs.filter(
    ({ verb, group, resource }) =>
      failed?.verb === 'patch' && verb === 'create' && group === failed.group && resource === failed.resource,
  );
  const asked = [...(failed === undefined ? [] : [failed]), ...create, ...update];
  const missing = await firstMissing(caller.client, asked, namespace).catch(() => undefined);
  if (missing === undefined) return error;
  const message = `${error.body.message ?? 'the API server refused the request'}. This request ${missingText(missing, namespace)}. ${inAll(rights)}`;
  return refusal(403, message, error.body.details);
}

async function firstMissing(
  client: KubeClient,
  asked: readonly (Need & { name?: string })[],
  namespace: string,
): Promise<Need | undefined> {
  for (const need of asked) if (!(await isAllowed(client, need, namespace))) return need;
  return undefined;
}

function inAll({ needs, grantedBy }: CallNeeds): string {
  const roles = grantedBy.map((role) => JSON.stringify(role)).join(' or ');
  return `In all it needs ${needsText(needs)}, which the ClusterRole ${roles} grants`;
}

function refusal(code: number, message: string, details: Refusal['body']['details']): Refusal {
  return new Refusal(code, 'Forbidden', message, details);
}
