/** The output of a terminal, in order of time. */
export interface Recording {
  columns: number;
  rows: number;
  events: readonly RecordedEvent[];
}

export interface RecordedEvent {
  atMs: number;
  text: string;
  /** How long a viewer needs to read the screen after this event. Replaces the time until the next event. */
  holdMs?: number;
}

export interface Timing {
  /** A longer time without output is shortened to this. */
  idleMs: number;
  /** Output that arrives within this time is shown at once, so that no half-drawn screen is seen. */
  togetherMs: number;
}

/** Returns the recording with shortened idle times, and the time at which it ends. */
export function retime(
  { events, ...size }: Recording,
  { idleMs, togetherMs }: Timing,
): Recording & { endMs: number } {
  const result: RecordedEvent[] = [];
  let nowMs = 0;
  for (const [index, { atMs, text }] of events.entries()) {
    const before = events[index - 1];
    if (before !== undefined) nowMs += before.holdMs ?? Math.min(idleMs, atMs - before.atMs);
    const last = result.at(-1);
    if (last !== undefined && before?.holdMs === undefined && nowMs - last.atMs <= togetherMs)
      last.text += text;
    else result.push({ atMs: nowMs, text });
  }
  return { ...size, events: result, endMs: nowMs + (events.at(-1)?.holdMs ?? idleMs) };
}
