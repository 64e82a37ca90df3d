import { BlockList, isIP } from 'node:net';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';

/** Whether an address belongs to a proxy whose X-Forwarded-For the gateway believes. */
export type IsTrusted = (address: string) => boolean;

/**
 * Reads `--trusted-proxies`: addresses such as `10.0.0.7` and blocks such as `192.0.2.16/28`. Throws an
 * OperationalError ConfigInvalid for anything else.
 */
export function trustedProxies(entries: readonly string[]): IsTrusted {
  const list = new BlockList();
  for (const { address, prefix } of entries.map(readBlock)) {
    if (prefix === undefined) list.addAddress(address, family(address));
    else list.addSubnet(address, prefix, family(address));
  }
  return (address) => {
    const plain = plainAddress(address);
    return plain !== undefined && list.check(plain, family(plain));
  };
}

/** The load balancers of one installation are in blocks of at most this size. */
const widest = { ipv4: 24, ipv6: 64 };

/** Returns the blocks that probably contain clients or pods, each of which could then claim any address. */
export function wideBlocks(entries: readonly string[]): string[] {
  return entries.filter((entry) => {
    const { address, prefix } = readBlock(entry);
    return prefix !== undefined && prefix < widest[family(address)];
  });
}

interface Block {
  address: string;
  /** Undefined for a single address. */
  prefix: number | undefined;
}

function readBlock(entry: string): Block {
  const [address = '', bits, more] = entry.split('/');
  const plain = plainAddress(address);
  if (plain === undefined || more !== undefined || !isPrefix(bits, isIP(address))) throw invalid(entry);
  if (bits === undefined) return { address: plain, prefix: undefined };
  // A block of IPv4-mapped addresses is a block of IPv4 addresses whose prefix is 96 bits shorter.
  const prefix = Number(bits) - (isIP(address) === 6 && isIP(plain) === 4 ? 96 : 0);
  if (prefix < 0) throw invalid(entry);
  return { address: plain, prefix };
}

/**
 * An IP address in the form in which addresses are compared: an IPv4-mapped IPv6 address is its IPv4 address, and the
 * zone of a link-local address is left out. Undefined for anything else.
 */
export function plainAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 0) return undefined;
  if (version === 4) return text;
  const [address = ''] = text.toLowerCase().split('%');
  const full = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(full);
  if (mapped === null) return full;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function family(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function isPrefix(bits: string | undefined, version: number): boolean {
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function invalid(entry: string): OperationalError {
  return new OperationalError(
    errors.ConfigInvalid,
    `trimtab gateway: --trusted-proxies: ${JSON.stringify(entry)} is not an IP address or a block of addresses such as 192.0.2.16/28`,
  );
}
