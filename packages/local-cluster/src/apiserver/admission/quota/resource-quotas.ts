import { isCharged } from '../../../quotas/counted.ts';
import { forbidden } from '../../errors/status-error.ts';
import { service } from '../../kinds/core/service.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from '../admission.ts';
import type { QuotaLedger } from './quota-ledger.ts';

/** Charges created objects to the quotas of their namespace. Runs last, so no plugin refuses a charged write. */
export function resourceQuotas(
  ledger: QuotaLedger,
  hasQuotas: (namespace: string) => boolean,
): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    async validate(attributes) {
      const { kind, namespace, object, old, subresource, dryRun } = attributes;
      if (namespace === undefined || object === undefined || !mayTake(attributes)) return;
      if (!hasQuotas(namespace)) return;
      const write = {
        resource: kind,
        object,
        ...(old !== undefined && { old }),
        isStatus: subresource === 'status',
      };
      const refused = await ledger.charge(namespace, write, dryRun);
      if (refused !== undefined) throw forbidden(kind, nameInRefusals(attributes), refused);
    },
  };
}

/** An update can only increase the usage of a Service, as its type can change. */
function mayTake({ operation, kind, subresource }: Attributes): boolean {
  if (!kind.namespaced || !isCharged(kind)) return false;
  if (kind === service) return operation === 'CREATE' || operation === 'UPDATE';
  return operation === 'CREATE' && subresource === '';
}
