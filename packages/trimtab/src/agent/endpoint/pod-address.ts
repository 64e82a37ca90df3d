import { isIP } from 'node:net';
import { ipAddressBytes } from '@trimtab/kube/tls/ip-address.ts';

/** Returns whether an IP address is a loopback address or one of the pod's. */
export function isPodAddress(address: string, podIps: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  const bytes = normalized(address);
  const isLoopback = bytes.length === 4 ? bytes[0] === 127 : bytes.equals(ipAddressBytes('::1'));
  return isLoopback || podIps.some((ip) => isIP(ip) !== 0 && normalized(ip).equals(bytes));
}

/** Returns whether the host of a URL is the pod itself. */
export function isPodHost(hostname: string, podIps: readonly string[]): boolean {
  return hostname === 'localhost' || isPodAddress(hostname.replace(/^\[(.*)\]$/, '$1'), podIps);
}

/** A server that listens on :: sees IPv4 clients as `::ffff:10.1.2.3`. */
function normalized(address: string): Buffer {
  const bytes = ipAddressBytes(address.split('%')[0] ?? '');
  const isMapped = bytes.length === 16 && bytes.subarray(0, 12).equals(mappedPrefix);
  return isMapped ? bytes.subarray(12) : bytes;
}

const mappedPrefix = ipAddressBytes('::ffff:0:0').subarray(0, 12);
