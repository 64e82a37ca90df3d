import type { KubeClient } from '@trimtab/kube/client.ts';

/**
 * Shared by all writes of one request. It has no AbortSignal on purpose: after a name is reserved, a client that
 * disconnects must not interrupt the remaining writes.
 */
export interface WriteContext {
  /** Uses the caller's credentials. */
  client: KubeClient;
  /** The caller's user name, as the API server reports it. */
  by: string;
  fieldManager: string;
}

export function writeOptions({ fieldManager }: WriteContext, dryRun = false) {
  return { fieldManager, ...(dryRun && { dryRun }) };
}
