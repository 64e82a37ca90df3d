/** Formats a time as in API objects: `2026-11-15T12:19:12Z`. */
export function timestamp(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
