import { isCharged } from '../../../quotas/counted.ts';
import { forbidden } from '../../errors/status-error.ts';
import { service } from '../../kinds/core/service.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from '../admission.ts';
import type { QuotaLedger } from './quota-ledger.ts';

/** Charges what is created to the quotas of its namespace. The last to be asked: nobody refuses what is charged. */
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

/** Only a Service may take more when it changes: it can become one of another type. */
function mayTake({ operation, kind, subresource }: Attributes): boolean {
  if (!kind.namespaced || !isCharged(kind)) return false;
  if (kind === service) return operation === 'CREATE' || operation === 'UPDATE';
  return operation === 'CREATE' && subresource === '';
}
