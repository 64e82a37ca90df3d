/** One entry of the registry of reasons; docs/reference/reasons.md is generated from the entries. */
export interface ReasonEntry {
  /** Where users meet the reason: a condition of a ConfigRollout, an Event, or both. */
  on: 'condition' | 'event' | 'condition and event';
  /** What happened. */
  meaning: string;
  /** What to do about it. */
  remedy: string;
}
