import type { ResourceQuota as Quota } from '../../../quotas/quota-object.ts';
import { type FieldError, invalid } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { type ApiObject, equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { compareQuantities } from '../../schema/quantity-sums.ts';
import { defineKind } from '../define-kind.ts';
import { validateScopeSelector, validateScopes } from './quota-scopes.ts';
import { quotaAmountErrors, quotaNameErrors } from './resource-names.ts';

export type ResourceQuota = ApiObject & Quota;

export const resourceQuota = defineKind<ResourceQuota>({
  group: '',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  shortNames: ['quota'],
  storageVersionHash: '8uhSgffRX6w=',
  definition: 'io.k8s.api.core.v1.ResourceQuota',
  hasStatus: true,
  returnsDeleted: true,
  strategy: {
    nameRule: dnsSubdomain,
    prepareForCreate(object) {
      object.status = {};
    },
    validate: ({ spec }) => validateSpec(spec),
    validateUpdate({ spec }, old) {
      const scopes = (of: Quota) => [...new Set(of.spec.scopes)].sort();
      const isSame = equal(scopes({ ...old, spec }), scopes(old));
      return [
        ...validateSpec(spec),
        ...(isSame ? [] : [invalid('spec.scopes', spec.scopes, 'field is immutable')]),
      ];
    },
    validateStatus: ({ status }) => [
      ...validateAmounts(status.hard, 'status.hard'),
      ...validateAmounts(status.used, 'status.used'),
    ],
    warnings: (object, old) => (old === undefined ? quotaWarnings(object) : []),
  },
  columns: [
    nameColumn,
    {
      name: 'Request',
      description: 'Request represents a minimum amount of cpu/memory that a container may consume.',
      value: (object) => amountsText(object, (name) => !name.startsWith('limits.')),
    },
    {
      name: 'Limit',
      description:
        'Limits control the maximum amount of cpu/memory that a container may use independent of contention on the node.',
      value: (object) => amountsText(object, (name) => name.startsWith('limits.')),
    },
    ageColumn,
  ],
});

function validateSpec(spec: Quota['spec']): FieldError[] {
  return [
    ...validateAmounts(spec.hard, 'spec.hard'),
    ...validateScopes(spec),
    ...validateScopeSelector(spec),
  ];
}

function validateAmounts(amounts: Record<string, string> = {}, path: string): FieldError[] {
  return Object.entries(amounts).flatMap(([name, amount]) => [
    ...quotaNameErrors(name, `${path}[${name}]`),
    ...quotaAmountErrors(name, amount, `${path}[${name}]`),
  ]);
}

/** A quota whose requests exceed its limits is probably a mistake. */
function quotaWarnings({ spec: { hard = {} } }: Quota): string[] {
  return ['cpu', 'memory', 'storage', 'ephemeral-storage'].flatMap((name) => {
    const requests = [`requests.${name}`, ...(['cpu', 'memory'].includes(name) ? [name] : [])];
    const request = requests.find((each) => hard[each] !== undefined);
    const most = hard[`limits.${name}`];
    const least = request === undefined ? undefined : hard[request];
    if (least === undefined || most === undefined || compareQuantities(least, most) <= 0) return [];
    return [`ResourceQuota ${request} (${least}) should be less than limits.${name} (${most})`];
  });
}

/** `pods: 1/2, services: 0/5` */
function amountsText(
  { status: { hard = {}, used = {} } }: Quota,
  isShown: (name: string) => boolean,
): string {
  return Object.keys(hard)
    .filter(isShown)
    .sort()
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name]}`)
    .join(', ');
}
