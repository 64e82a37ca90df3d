import { hostname as machineName } from 'node:os';
import type { Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';

const longestHostname = 63;

interface ProcessFacts {
  pod: Pod;
  /** Variables from the container's spec, its configs and the Services. */
  declared: ReadonlyMap<string, string>;
  /** Variables that the kubelet adds: `PORT`, `POD_ROOT`. */
  extra: Record<string, string>;
  /** Variables of this machine, which locate its programs and the user's home. */
  machine: { PATH?: string; HOME?: string };
}

/** Adds the variables of a container runtime to the declared variables, which take precedence. */
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
