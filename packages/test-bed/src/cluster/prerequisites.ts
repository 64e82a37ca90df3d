import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What level 2 takes from Debian, and a program of each package that shows it is there. This is the one list:
 * `npm run cluster -- packages` prints it for CI.
 */
const programs: Record<string, string> = {
  containerd: 'containerd',
  runc: 'runc',
  'containernetworking-plugins': '/usr/lib/cni/bridge',
  nftables: 'nft',
  iptables: 'iptables',
  conntrack: 'conntrack',
  'busybox-static': 'busybox',
  iproute2: 'ip',
  'util-linux': 'nsenter',
  mount: 'mount',
};

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

export function debianPackages(): string[] {
  return Object.keys(programs);
}

/** Where a program is; system folders are looked at even when the PATH lacks them. */
export function findProgram(name: string): string | undefined {
  if (name.startsWith('/')) return existsSync(name) ? name : undefined;
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

export interface Missing {
  /** What stands in the way of level 2, one sentence each. */
  reasons: string[];
  /** The command that mends what can be mended. */
  remedy?: string;
}

/** Nothing when this machine can run real containers. */
export function missingForLevel2(
  machine = { platform: process.platform as string, uid: process.getuid?.() ?? -1, find: findProgram },
): Missing | undefined {
  if (machine.platform !== 'linux')
    return { reasons: [`real containers need Linux, and this is ${machine.platform}`] };
  const reasons: string[] = [];
  if (machine.uid !== 0) reasons.push('namespaces and containers need root');
  const absent = Object.entries(programs).filter(([, program]) => !machine.find(program));
  const names = absent.map(([name]) => name);
  if (names.length > 0) reasons.push(`these Debian packages are missing: ${names.join(', ')}`);
  if (reasons.length === 0) return undefined;
  const remedy = `apt-get update && apt-get install -y --no-install-recommends ${names.join(' ')}`;
  return { reasons, ...(names.length > 0 ? { remedy } : {}) };
}
