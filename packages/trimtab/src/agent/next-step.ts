/** What the agent knows when it decides whether to apply a set. */
export interface Situation {
  /** Hash of the set that the configs describe; undefined while a config is missing, or cannot be written. */
  desired: string | undefined;
  /** Hash of the set that the application accepted. */
  accepted: string | undefined;
  /** Hash of the last set that the application or a check rejected. */
  rejected: string | undefined;
  /** A failure that says nothing about the set: the disk was full, the application did not answer. */
  retry: { hash: string; at: number } | undefined;
}

export type Step = { do: 'nothing' } | { do: 'apply' } | { do: 'wait'; ms: number };

/** Whether to apply the desired set now. A rejected set is not tried again, unless the configs change in between. */
export function nextStep({ desired, accepted, rejected, retry }: Situation, now: number): Step {
  if (desired === undefined || desired === accepted || desired === rejected) return { do: 'nothing' };
  if (retry !== undefined && retry.hash === desired && now < retry.at)
    return { do: 'wait', ms: retry.at - now };
  return { do: 'apply' };
}
