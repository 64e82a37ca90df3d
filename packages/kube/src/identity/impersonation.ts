import type { ClusterAccess } from '../access.ts';
import { isRecord } from './kubeconfig-entries.ts';
import { unusable } from './unusable.ts';

interface Impersonation extends Pick<ClusterAccess, 'repeatedHeaders'> {
  headers: Record<string, string>;
}

/**
 * Headers for a user's `as`, `as-uid`, `as-groups` and `as-user-extra`; `@kubernetes/client-node` supports only `as`.
 * The groups of --as-group replace `as-groups`.
 */
export function impersonationOf(
  user: Record<string, unknown>,
  asGroup: readonly string[],
  where: string,
): Impersonation {
  const { as, 'as-uid': uid, 'as-groups': groups, 'as-user-extra': extra } = user;
  const headers: Record<string, string> = {};
  if (typeof as === 'string' && as !== '') headers['impersonate-user'] = as;
  else if (asGroup.length > 0) throw unusable('--as-group requires a user to impersonate: add --as.');
  if (typeof uid === 'string' && uid !== '') headers['impersonate-uid'] = uid;
  const group = asGroup.length > 0 ? asGroup[0] : single(groups, `as-groups of ${where}`);
  if (group !== undefined && asGroup.length <= 1) headers['impersonate-group'] = group;
  if (isRecord(extra)) {
    for (const [key, values] of Object.entries(extra)) {
      const value = single(values, `as-user-extra.${key} of ${where}`);
      if (value !== undefined) headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = value;
    }
  }
  if (headers['impersonate-user'] === undefined && Object.keys(headers).length > 0)
    throw unusable(`The ${where} impersonates a group, uid or extra, but no user: add 'as'.`);
  return { headers, ...(asGroup.length > 1 && { repeatedHeaders: { 'impersonate-group': [...asGroup] } }) };
}

/** Rejects several values: dropping a group silently would send requests with other permissions than configured. */
function single(values: unknown, what: string): string | undefined {
  if (values === undefined || values === null) return undefined;
  if (!Array.isArray(values) || values.length > 1)
    throw unusable(`The field ${what} must be a list of at most one value: Trimtab does not support more.`);
  const [value] = values;
  return value === undefined ? undefined : String(value);
}
