import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { PodTemplate, ResourceRequirements } from '../../api/pod-template.ts';
import { addAgent } from './add-agent.ts';
import type { AgentOptions } from './agent-container.ts';
import { runningContainers } from './container-use.ts';
import { eject } from './eject.ts';
import { ManagedConfigs, type Versions } from './managed-configs.ts';
import { podProblems } from './pod-problems.ts';
import { parseReloadAnnotations } from './reload-annotations.ts';

/** A pod in a request of the API server. */
export interface InjectablePod extends PodTemplate {
  metadata: ObjectMeta;
}

export interface InjectOptions extends AgentOptions {
  /** Optional; defaults to small requests, and limits that keep the quality of service class Guaranteed. */
  resources?: ResourceRequirements;
  /** The cluster serves environment variables from files: Kubernetes since 1.35. */
  envFiles: boolean;
  podIpFamily: 'IPv4' | 'IPv6';
  versions: Versions;
  /** The workload of the pod, such as `Deployment/web`. */
  workload?: string;
  /** A random token, used for `trimtab.dev/token-env` on clusters without environment variables from files. */
  token?: string;
}

export type Injection<T> =
  | {
      pod: T;
      warnings: string[];
      /** The containers that take a managed config by env or envFrom, which cannot be reloaded. */
      environment: string[];
    }
  | { problems: string[] };

/**
 * Returns the pod with the agent, as its annotations say. A pod that is injected already is restored first, so the
 * function may be called again after other injectors have changed the pod (reinvocationPolicy IfNeeded). Without
 * `trimtab.dev/restart: "false"` the result is the original pod.
 */
export function inject<T extends PodTemplate>(pod: T, options: InjectOptions): Injection<T> {
  const ejected = eject(pod);
  if ('problems' in ejected) return ejected;
  const original = ejected.pod;
  const { settings, problems } = parseReloadAnnotations(
    original.metadata?.annotations,
    runningContainers(original),
  );
  if (settings.restart === 'recycle') return { pod: original, warnings: [], environment: [] };
  const configs = new ManagedConfigs(original, options.versions);
  if (problems.length === 0 && configs.list.length === 0) {
    const warnings = ['The pod references no managed config, so the agent is not added'];
    return { pod: original, warnings, environment: [] };
  }
  const all = [...problems, ...podProblems(original)];
  return addAgent(original, { options, settings, configs, problems: all });
}
