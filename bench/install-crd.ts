import path from 'node:path';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';

const file = path.resolve(import.meta.dirname, '../deploy/crd.yaml');

/** Installs the CRDs and waits until ConfigRollout is established. */
export async function installCrd(cluster: { kubectl: string; kubeconfig: string }): Promise<void> {
  await kubectl(cluster, ['apply', '--server-side', '--force-conflicts', '-f', file]);
  await kubectl(cluster, ['wait', '--for=condition=Established', 'crd/configrollouts.trimtab.dev']);
}
