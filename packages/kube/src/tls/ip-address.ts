import { isIPv4, isIPv6 } from 'node:net';

/** Returns the 4 or 16 bytes of an address, in the format of subjectAltName. */
export function ipAddressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // A zone (`fe80::1%eth0`) is local to one machine, so it is not valid in a certificate.
  if (!isIPv6(address) || address.includes('%'))
    throw new RangeError(`'${address}' is not a valid IP address`);
  const [head = '', tail] = address.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const gap = new Array<number>(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...gap, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}

function groups(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}
