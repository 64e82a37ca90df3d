import { eventReasons } from './event-reasons.ts';
import { podReasons } from './pod-reasons.ts';
import type { ReasonEntry } from './reason-entry.ts';
import { rolloutReasons } from './rollout-reasons.ts';

/** Every reason of a condition or an Event. The type `Reason` keeps code from emitting one that is not listed. */
const reasons = { ...rolloutReasons, ...podReasons, ...eventReasons };

export type Reason = keyof typeof reasons;

export function isReason(text: string): text is Reason {
  return Object.hasOwn(reasons, text);
}

export function reasonEntries(): [Reason, ReasonEntry][] {
  return Object.entries(reasons) as [Reason, ReasonEntry][];
}
