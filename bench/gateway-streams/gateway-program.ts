import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';
import { createMaterial } from '@trimtab/kube/tls/material.ts';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { startGateway } from 'trimtab/gateway/gateway.ts';

/** The message to the parent process when the gateway listens. */
export interface GatewayAddress {
  port: number;
  authority: string;
}

/** Runs a gateway with TLS as a separate process, so that its memory is measured apart from that of the clients. */
const [bed, namespace = '', maxStreamsPerPod] = process.argv.slice(2);
const { kubeconfig } = await readBed(bed);
const times = { now: Date.now(), validForMs: 86_400_000 };
const authority = createAuthority({ commonName: 'bench', ...times });
const material = createMaterial(
  issue(authority, { commonName: 'gateway', ipAddresses: ['127.0.0.1'], usages: ['server'], ...times }),
);
const gateway = await startGateway({
  access: await loadAccess({ kubeconfig }),
  host: '127.0.0.1',
  port: 0,
  tls: { material },
  log: silentLogger,
  current: { namespace, maxStreamsPerPod: Number(maxStreamsPerPod) },
});
const address: GatewayAddress = { port: Number(new URL(gateway.url).port), authority: authority.certificate };
process.send?.(address);
process.once('SIGTERM', () => void gateway.close(2_000).then(() => process.exit(0)));
