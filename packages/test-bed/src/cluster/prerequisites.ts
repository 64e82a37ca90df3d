import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The Debian packages that level 2 needs, each with a program that shows whether it is installed. CI installs these and
 * those of the program images, with the list that `npm run cluster -- packages` prints.
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

/** The path of a program. Searches the system folders even when they are not on the PATH. */
export function findProgram(name: string): string | undefined {
  if (name.startsWith('/')) return existsSync(name) ? name : undefined;
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
}

export interface Missing {
  /** Reasons why this machine cannot run level 2. */
  reasons: string[];
  /** The command that installs the missing packages. */
  remedy?: string;
}

/** Returns undefined when this machine can run real containers. */
export function missingForLevel2(
  machine = { platform: process.platform as string, uid: process.getuid?.() ?? -1, find: findProgram },
): Missing | undefined {
  if (machine.platform !== 'linux')
    return { reasons: [`real containers need Linux, and this machine runs ${machine.platform}`] };
  const reasons: string[] = [];
  if (machine.uid !== 0) reasons.push('namespaces and containers need root privileges');
  const absent = Object.entries(programs).filter(([, program]) => !machine.find(program));
  const names = absent.map(([name]) => name);
  if (names.length > 0) reasons.push(`missing Debian packages: ${names.join(', ')}`);
  if (reasons.length === 0) return undefined;
  const remedy = `apt-get update && apt-get install -y --no-install-recommends ${names.join(' ')}`;
  return { reasons, ...(names.length > 0 ? { remedy } : {}) };
}
