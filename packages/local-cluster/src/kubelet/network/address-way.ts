import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { canListen } from './local-port.ts';

/** Whether each pod has an address of its own, or all share 127.0.0.1 and have ports of their own. */
export type AddressWay = { way: 'own' } | { way: 'shared'; because: string };

/** One of those that pods would get; only 127.0.0.1 is there on macOS. */
const sample = '127.16.0.1';

/** Found out by listening there once, unless told. */
export async function chooseAddresses(
  wanted?: AddressWay['way'],
  canHave = () => canListen(sample, 0),
): Promise<AddressWay> {
  if (wanted === 'shared') return { way: 'shared', because: 'as asked for' };
  if (await canHave()) return { way: 'own' };
  if (wanted === 'own')
    throw new OperationalError(
      errors.ConfigInvalid,
      `pods cannot have addresses of their own: nobody can listen on ${sample} of this machine. Start with --pod-addresses shared.`,
    );
  return { way: 'shared', because: 'this system has no other loopback address' };
}

/** One line for people. */
export function describeAddresses(addresses: AddressWay): string {
  return addresses.way === 'own'
    ? 'each has an address of its own, 127.x.y.z, and listens on the ports of its manifest'
    : `all have 127.0.0.1, and programs listen on $PORT: ${addresses.because}`;
}
