import { type FieldError, invalid } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import type { ApiObject } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

interface Lease extends ApiObject {
  spec: { holderIdentity?: string; leaseDurationSeconds?: number; leaseTransitions?: number };
}

export const lease = defineKind<Lease>({
  group: 'coordination.k8s.io',
  kind: 'Lease',
  plural: 'leases',
  storageVersionHash: 'gqkMMb/YqFM=',
  definition: 'io.k8s.api.coordination.v1.Lease',
  createOnUpdate: true,
  unconditionalUpdate: false,
  strategy: { nameRule: dnsSubdomain, validate },
  columns: [nameColumn, { name: 'Holder', value: ({ spec }) => spec.holderIdentity ?? '' }, ageColumn],
});

function validate({ spec }: Lease): FieldError[] {
  const errors: FieldError[] = [];
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec;
  if (duration !== undefined && duration <= 0)
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (transitions !== undefined && transitions < 0)
    errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  return errors;
}
