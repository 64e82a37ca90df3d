import type { ReleaseMode } from '../workload/opt-in.ts';
import type { Intent } from './intent.ts';

export interface RequesterInput {
  intent: Intent;
  release: ReleaseMode;
  specVersion: string | undefined;
  /** What the webhook wrote when a person named a version: who, and which one. */
  stamp: { by: string | undefined; version: string | undefined };
  /** The field managers of `spec.version` and of the config's data. */
  managers: { version: string | undefined; data: string | undefined };
}

/**
 * Who asked for what is activated: the person who set `spec.version`, or else the program that wrote it or the
 * data. A stamp counts for the version it was made for: without the webhook, somebody else may have asked since.
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
    return program(managers.version);
  }
  // Elsewhere an edit asks for nothing, so that its author did not.
  return release === 'Auto' ? program(managers.data) : undefined;
}

function program(manager: string | undefined): string | undefined {
  return manager === undefined ? undefined : `${manager} (field manager)`;
}
