import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import {
  type CertificateAndKey,
  createAuthority,
  issue,
  type LeafRequest,
} from '@trimtab/kube/tls/authority.ts';
import type { BedFolder } from '../state/bed-folder.ts';

/** The subject and usages of a certificate. */
type Subject = Pick<LeafRequest, 'commonName' | 'organizations' | 'dnsNames' | 'ipAddresses' | 'usages'>;

const year = 365 * 24 * 3600 * 1000;
const serviceNames = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
const clusterServiceName = 'kubernetes.default.svc.cluster.local';

/** The first address of the service range: the cluster IP of the API server. */
const apiServiceAddress = '10.96.0.1';

export const clients = {
  admin: { commonName: 'admin', organizations: ['system:masters'] },
  'kube-controller-manager': { commonName: 'system:kube-controller-manager' },
  'kube-scheduler': { commonName: 'system:kube-scheduler' },
  'kube-proxy': { commonName: 'system:kube-proxy' },
  kwok: { commonName: 'kwok', organizations: ['system:masters'] },
} as const;

function subjects(addresses: readonly string[], node: string): Record<string, Subject> {
  const kubelet = { commonName: `system:node:${node}`, organizations: ['system:nodes'] };
  const dnsNames = [...serviceNames, clusterServiceName, 'localhost'];
  return {
    apiserver: {
      commonName: 'kube-apiserver',
      dnsNames,
      ipAddresses: [apiServiceAddress, ...addresses],
      usages: ['server'],
    },
    host: { commonName: 'test-host', dnsNames: ['localhost'], ipAddresses: addresses, usages: ['server'] },
    'kubelet-server': { ...kubelet, dnsNames: [node], ipAddresses: addresses, usages: ['server'] },
    'apiserver-kubelet-client': {
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
      usages: ['client'],
    },
    kubelet: { ...kubelet, usages: ['client'] },
    ...Object.fromEntries(
      Object.entries(clients).map(([name, subject]) => [name, { ...subject, usages: ['client'] as const }]),
    ),
  };
}

/** Creates missing certificates and keys. `addresses` are the addresses that servers of the bed bind to. */
export function ensureCertificates(folder: BedFolder, addresses: readonly string[], node: string): void {
  const now = Date.now();
  const validForMs = year;
  const authority = ensurePair(folder, 'ca', () =>
    createAuthority({ commonName: 'kubernetes-ca', now, validForMs }),
  );
  for (const [name, subject] of Object.entries(subjects(addresses, node)))
    ensurePair(folder, name, () => issue(authority, { ...subject, now, validForMs }));
  if (!existsSync(keyFile(folder, 'service-accounts'))) {
    const pair = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(folder.at('pki', 'service-accounts.pub'), pair.publicKey);
    writeFileSync(keyFile(folder, 'service-accounts'), pair.privateKey, { mode: 0o600 });
  }
}

export function certificateFile(folder: BedFolder, name: string): string {
  return folder.at('pki', `${name}.crt`);
}

export function keyFile(folder: BedFolder, name: string): string {
  return folder.at('pki', `${name}.key`);
}

export function readPair(folder: BedFolder, name: string): CertificateAndKey {
  return {
    certificate: readFileSync(certificateFile(folder, name), 'utf8'),
    key: readFileSync(keyFile(folder, name), 'utf8'),
  };
}

/** The key is written last: a pair that a killed command left incomplete is created again. */
function ensurePair(folder: BedFolder, name: string, make: () => CertificateAndKey): CertificateAndKey {
  if (existsSync(keyFile(folder, name))) return readPair(folder, name);
  const pair = make();
  writeFileSync(certificateFile(folder, name), pair.certificate);
  writeFileSync(keyFile(folder, name), pair.key, { mode: 0o600 });
  return pair;
}
