/** The largest spread of a main figure, as a share of its median, at which no further repetition is needed. */
export const steadyShare = 0.1;
export const least = 3;
export const most = 7;
export const limitMinutes = 5;

export interface Progress {
  repetitions: number;
  steady: boolean;
  elapsedMs: number;
}

/** Whether to run another repetition after the first. `fixed` is the number of repetitions that the user has chosen. */
export function repeatAgain(
  { repetitions, steady, elapsedMs }: Progress,
  fixed: number | undefined,
): boolean {
  if (fixed !== undefined) return repetitions < fixed;
  if (repetitions >= most || elapsedMs >= limitMinutes * 60_000) return false;
  return repetitions < least || !steady;
}
