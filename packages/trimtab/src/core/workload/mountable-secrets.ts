import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { type ConfigKey, configName } from '../references/config-key.ts';
import type { Reference } from '../references/references.ts';
import { managedWorkloads } from './managed-workloads.ts';

/** The annotation of a ServiceAccount that limits the Secrets of its pods to those that it lists. */
const enforcement = 'kubernetes.io/enforce-mountable-secrets';

/** The fields of a ServiceAccount that limit the Secrets of its pods. */
export interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
}

/** The names of the Secrets that pods of the ServiceAccount can use; undefined when it does not limit them. */
export function mountableSecrets(account: ServiceAccount | undefined): ReadonlySet<string> | undefined {
  const value = account?.metadata.annotations?.[enforcement] ?? '';
  // As the API server reads it.
  if (!/^(1|t|T|true|TRUE|True)$/.test(value)) return undefined;
  return new Set((account?.secrets ?? []).flatMap((secret) => secret.name ?? []));
}

/** Whether pods that can use the Secrets of `mountable` can use this object in these references. */
export function isMountable(
  mountable: ReadonlySet<string> | undefined,
  references: readonly Reference[],
  object: string,
): boolean {
  return mountable === undefined || mountable.has(object) || !references.some(isLimited);
}

/** The API server checks volumes and environment variables, and not the sources of projected volumes. */
export function isLimited({ kind, pointer }: Reference): boolean {
  return kind === 'Secret' && !pointer.includes('/projected/');
}

/** The workloads for which a Secret of these rollouts is managed. */
export function secretWorkloads(rollouts: readonly ConfigRollout[]): string[] {
  return rollouts.filter(({ spec }) => spec.config.kind === 'Secret').flatMap(managedWorkloads);
}

/** Why the pods of a workload cannot use versions of a Secret, and what to do. */
export function notMountable(serviceAccount: string, secret: ConfigKey): string {
  return `ServiceAccount ${serviceAccount} has the annotation ${enforcement}, so Kubernetes refuses its pods with a version of this Secret. Remove the annotation, or leave secret/${configName(secret)} out of trimtab.dev/manage`;
}
