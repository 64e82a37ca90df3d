import type { KubeClient } from '@trimtab/kube/client.ts';

/**
 * What every write of one request has in common. It has no signal on purpose: once a name is reserved, a client that
 * hangs up must not leave the rest undone.
 */
export interface WriteContext {
  /** The caller's own. */
  client: KubeClient;
  /** As the cluster calls the caller. */
  by: string;
  fieldManager: string;
}

export function writeOptions({ fieldManager }: WriteContext, dryRun = false) {
  return { fieldManager, ...(dryRun && { dryRun }) };
}
