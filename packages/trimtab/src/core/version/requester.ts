import type { ReleaseMode } from '../workload/opt-in.ts';
import type { Intent } from './intent.ts';

export interface RequesterInput {
  intent: Intent;
  release: ReleaseMode;
  specVersion: string | undefined;
  /** Written by the webhook when a user sets `spec.version`: the user, and the version. */
  stamp: { by: string | undefined; version: string | undefined };
  /** The field managers of `spec.version` and of the config's data. */
  managers: { version: string | undefined; data: string | undefined };
}

/**
 * Returns who requested the activation: the user who set `spec.version`, or else the field manager of `spec.version`
 * or of the data. A stamp counts only for its own version: without the webhook, another client may have changed
 * `spec.version` since.
 */
export function requester({
  intent,
  release,
  specVersion,
  stamp,
  managers,
}: RequesterInput): string | undefined {
  const isEdit = intent.want === 'version' && intent.because === 'edit';
  if (specVersion !== undefined && !isEdit) {
    if (stamp.by !== undefined && stamp.version === specVersion) return stamp.by;
    return managers.version && programText(managers.version);
  }
  // In other release modes an edit requests no activation, so the author of the edit is not the requester.
  return release === 'Auto' ? managers.data && programText(managers.data) : undefined;
}

/** Names a program where the user is not known. */
export function programText(manager: string): string {
  return `${manager} (field manager)`;
}
