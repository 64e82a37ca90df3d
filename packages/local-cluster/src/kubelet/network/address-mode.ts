import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { canListen } from './local-port.ts';

/** Whether each pod has its own address, or all pods share 127.0.0.1 and have different ports. */
export type AddressMode = { way: 'own' } | { way: 'shared'; because: string };

/** A sample of the pods' addresses. macOS has no loopback address other than 127.0.0.1. */
const sample = '127.16.0.1';

/** Selects the addresses as requested. Defaults to separate addresses when this machine can listen on them. */
export async function chooseAddresses(
  wanted?: AddressMode['way'],
  canHave = () => canListen(sample, 0),
): Promise<AddressMode> {
  if (wanted === 'shared') return { way: 'shared', because: 'requested by --pod-addresses shared' };
  if (await canHave()) return { way: 'own' };
  if (wanted === 'own')
    throw new OperationalError(
      errors.ConfigInvalid,
      `pods cannot have their own addresses: this machine cannot listen on ${sample}. Start with --pod-addresses shared.`,
    );
  return { way: 'shared', because: 'this system has no loopback address other than 127.0.0.1' };
}

/** Describes in one line which addresses pods have. */
export function describeAddresses(addresses: AddressMode): string {
  return addresses.way === 'own'
    ? 'each pod has its own address, 127.x.y.z, and listens on the ports of its manifest'
    : `all pods share 127.0.0.1, and programs listen on $PORT: ${addresses.because}`;
}
