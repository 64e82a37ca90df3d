import type { ObjectMeta } from '@trimtab/kube/wire.ts';

export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** The fields of a ResourceQuota that admission and the quota controller read. */
export interface ResourceQuota {
  metadata: ObjectMeta;
  spec: {
    hard?: Record<string, string>;
    scopes?: string[];
    scopeSelector?: { matchExpressions?: ScopeRequirement[] };
  };
  status: { hard?: Record<string, string>; used?: Record<string, string> };
}

/** A collection whose objects are charged. */
export interface GroupResource {
  /** '' for the core group. */
  group: string;
  plural: string;
}

/** All scopes that an object must match, from `scopes` and `scopeSelector`. */
export function scopesOf({ spec }: Pick<ResourceQuota, 'spec'>): ScopeRequirement[] {
  const named = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(spec.scopeSelector?.matchExpressions ?? [])];
}
