/** A user's request to abort an activation. */
export interface AbortRequest {
  /** The id of the activation. */
  activation: string;
  /** Who requested it, if known. */
  by: string | undefined;
}

const prefix = 'Aborted by ';

/** The reason that is recorded on the versions of an activation that a user aborted. */
export function abortReason({ by = 'a user' }: Pick<AbortRequest, 'by'>): string {
  return `${prefix}${by}`;
}

/** Says that a version was aborted: by a user, or because all workloads left the activation. */
export function abortText(version: string, reason = 'all workloads left the activation'): string {
  const subject = `Version ${version} was aborted`;
  return reason.startsWith(prefix) ? `${subject} by ${reason.slice(prefix.length)}` : `${subject}: ${reason}`;
}
