import type { PodTemplate } from '../../api/pod-template.ts';

/** After the default of the in-pod endpoint, 9001, and the port that the documentation of config-port uses, 9002. */
const firstPort = 9003;

/** The first port that neither the in-pod endpoint uses nor a container declares. The kubelet probes the agent there. */
export function healthPort({ spec }: PodTemplate, configPort: number): number {
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const used = new Set(containers.flatMap(({ ports }) => (ports ?? []).map((each) => each.containerPort)));
  used.add(configPort);
  let port = firstPort;
  while (used.has(port)) port++;
  return port;
}
