import { hostname as machineName } from 'node:os';
import type { Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';

const longestHostname = 63;

interface ProcessFacts {
  pod: Pod;
  /** What the container's spec, its configs and the Services say. */
  declared: ReadonlyMap<string, string>;
  /** Of the kubelet: `PORT`, `POD_ROOT`. */
  extra: Record<string, string>;
  /** Of this machine: where its programs are, and whose home it is. */
  machine: { PATH?: string; HOME?: string };
}

/** What a container runtime adds to the declared variables; these win over all of that. */
export function processEnvironment({ pod, declared, extra, machine }: ProcessFacts): Record<string, string> {
  const all = new Map([
    ['PATH', machine.PATH || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ['HOME', machine.HOME || '/'],
    ['HOSTNAME', podHostname(pod)],
    ...Object.entries(extra),
    ...declared,
  ]);
  for (const [name, value] of all)
    if (name.includes('\0') || value.includes('\0'))
      throw new ConfigProblem(`environment variable ${JSON.stringify(name)} contains nul byte (\\x00)`);
  return Object.fromEntries(all);
}

function podHostname({ metadata, spec }: Pod): string {
  if (spec.hostNetwork) return machineName();
  const name = spec.hostname || (metadata.name ?? '');
  return name.length <= longestHostname ? name : name.slice(0, longestHostname).replace(/[-.]+$/, '');
}
