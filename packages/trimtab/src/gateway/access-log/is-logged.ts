/** Which requests the access log contains: all, those that failed, or none. */
export type AccessLogMode = 'all' | 'failures' | 'off';

export interface Selection {
  mode: AccessLogMode;
  /** One of this many requests that succeed is logged. */
  sample: number;
}

/** `random` is at least 0 and less than 1. */
export function isLogged({ mode, sample }: Selection, hasFailed: boolean, random: number): boolean {
  if (mode === 'off') return false;
  return hasFailed || (mode === 'all' && random * sample < 1);
}
