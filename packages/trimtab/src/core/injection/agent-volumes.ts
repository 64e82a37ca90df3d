import { injected } from '../../api/injected-pod.ts';
import type { Volume } from '../../api/pod-template.ts';

/** The audience of the token that identifies the pod to the gateway. */
const audience = 'trimtab.dev';
const tokenSeconds = 3_600;

/** The agent keeps up to three copies of each config beside its key: a config has at most 1 MiB. */
const mebibytesPerConfig = 4;

/** The volumes that each injected pod has. */
export function agentVolumes(configs: number): Volume[] {
  const { identity, private: key, public: shared } = injected.volumes;
  const memory = (mebibytes: number) => ({ medium: 'Memory', sizeLimit: `${mebibytes}Mi` });
  const serviceAccountToken = { path: 'token', audience, expirationSeconds: tokenSeconds };
  return [
    { name: identity, projected: { sources: [{ serviceAccountToken }] } },
    { name: key, emptyDir: memory(1 + configs * mebibytesPerConfig) },
    { name: shared, emptyDir: memory(1) },
  ];
}
