import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import { annotations } from '../../api/names.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { managedWorkloads } from '../../core/workload/managed-workloads.ts';
import { manages, parseManage } from '../../core/workload/opt-in.ts';
import { isWorkloadKind, workloadKey } from '../../core/workload/workload-key.ts';

export interface ManagementInput {
  config: { kind: ConfigKind; name: string };
  user: KubeObject;
  /** The pods have an agent, which reloads them. */
  isReloaded: boolean;
  rollout: ConfigRollout | undefined;
  /** The metadata of the live config; undefined when it does not exist, `unknown` when the caller may not read it. */
  live: KubeObject | 'unknown' | undefined;
}

/** Whether Trimtab updates a user of a config, and why, in words. */
export interface ManagementAnswer {
  managed: boolean;
  why: string;
}

export function managementOf(input: ManagementInput): ManagementAnswer {
  const { user, isReloaded, rollout, live } = input;
  const { kind = '', metadata } = user;
  if (!isWorkloadKind(kind))
    return {
      managed: false,
      why: `Trimtab never updates a ${kind}; ${isReloaded ? 'its agent follows the current version' : 'it reads the live config'}`,
    };
  const isListed =
    rollout !== undefined && managedWorkloads(rollout).includes(workloadKey(kind, metadata.name ?? ''));
  const optIn = optInOf(input);
  if (optIn.optedOut !== undefined) return { managed: false, why: optIn.optedOut };
  if (isListed) return { managed: true, why: optIn.by ?? 'the opt-in is gone; management continues' };
  if (optIn.by === undefined)
    return {
      managed: false,
      why: optIn.problem ?? `no opt-in; set annotation ${annotations.manage}: "true" on it`,
    };
  if (live === undefined) return { managed: false, why: 'the config does not exist' };
  return {
    managed: false,
    why: `${optIn.by}, but the config has no version yet; check that the controller runs`,
  };
}

function optInOf({ config, user, live }: ManagementInput): {
  by?: string;
  optedOut?: string;
  problem?: string;
} {
  const manage = parseManage(user.metadata.annotations);
  if ('value' in manage && manage.value.mode === 'none')
    return { optedOut: `opted out by annotation ${annotations.manage}: "false"` };
  if ('value' in manage && manages(manage.value, config)) return { by: `annotation ${annotations.manage}` };
  const owners = typeof live === 'object' ? (live.metadata.ownerReferences ?? []) : [];
  if (owners.some(({ uid }) => uid === user.metadata.uid)) return { by: 'ownerReference of the config' };
  if ('problem' in manage) return { problem: manage.problem };
  return manage.value.mode === 'some'
    ? { optedOut: `annotation ${annotations.manage} lists other configs` }
    : {};
}
