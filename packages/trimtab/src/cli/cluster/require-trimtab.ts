import type { KubeClient } from '@trimtab/kube/client.ts';
import { isNotFound } from '@trimtab/kube/transport/errors.ts';
import { configRollouts } from '../../api/config-rollout.ts';
import { notInstalled } from '../failure.ts';

/** Throws when the API server does not serve ConfigRollouts. Discovery is open to all users. */
export async function requireTrimtab(client: KubeClient): Promise<void> {
  if (!(await isTrimtabServed(client))) throw notInstalled();
}

export async function isTrimtabServed(client: KubeClient): Promise<boolean> {
  const path = `/apis/${configRollouts.group}/${configRollouts.version}`;
  try {
    await client.raw({ method: 'GET', path });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
