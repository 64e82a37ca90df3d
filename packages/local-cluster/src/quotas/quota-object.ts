import type { ObjectMeta } from '@trimtab/kube/wire.ts';

export interface ScopeRequirement {
  scopeName: string;
  operator: string;
  values?: string[];
}

/** A ResourceQuota as admission and its controller read it. */
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

/** Every scope that an object must be in: those that are only named, and those with conditions. */
export function scopesOf({ spec }: Pick<ResourceQuota, 'spec'>): ScopeRequirement[] {
  const named = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...named, ...(spec.scopeSelector?.matchExpressions ?? [])];
}
