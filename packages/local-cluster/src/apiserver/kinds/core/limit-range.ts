import { randomUUID } from 'node:crypto';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { plainColumns } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import { validateLimits } from './limit-range-validation.ts';

type Amounts = Record<string, string>;

export interface Limit {
  type: string;
  min?: Amounts;
  max?: Amounts;
  default?: Amounts;
  defaultRequest?: Amounts;
  maxLimitRequestRatio?: Amounts;
}

export interface LimitRange extends ApiObject {
  spec: { limits: Limit[] | null };
}

export const limitRange = defineKind<LimitRange>({
  group: '',
  kind: 'LimitRange',
  plural: 'limitranges',
  shortNames: ['limits'],
  storageVersionHash: 'EBKMFVe6cwo=',
  definition: 'io.k8s.api.core.v1.LimitRange',
  createOnUpdate: true,
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ spec }) {
      for (const limit of spec.limits ?? []) if (limit.type === 'Container') fillIn(limit);
    },
    prepareForCreate({ metadata }) {
      metadata.name ||= randomUUID();
    },
    validate: ({ spec }) => validateLimits(spec.limits ?? []),
  },
  columns: plainColumns,
});

/** The default limit falls back to max, and the default request to the default limit or else to min. */
function fillIn(limit: Limit): void {
  const limits = { ...limit.max, ...limit.default };
  const requests = { ...limit.min, ...limits, ...limit.defaultRequest };
  if (Object.keys(limits).length > 0) limit.default = limits;
  if (Object.keys(requests).length > 0) limit.defaultRequest = requests;
}
