/** The limit of a figure: in its unit, or as a multiple of what the peer took in the same repetition. */
export type Budget = { atMost: number } | { atLeast: number } | { atMostTimesPeer: number };

export function budgetText(budget: Budget, unit: string, peer: string): string {
  if ('atMostTimesPeer' in budget) return `≤ ${budget.atMostTimesPeer} × ${peer}`;
  const [sign, limit] = 'atMost' in budget ? ['≤', budget.atMost] : ['≥', budget.atLeast];
  return `${sign} ${limit.toLocaleString('en-GB')} ${unit}`.trimEnd();
}

/** Whether the figure misses its budget. Without a ratio, a multiple of the peer cannot be missed. */
export function missesBudget(budget: Budget, ours: number, ratio: number | undefined): boolean {
  if ('atMostTimesPeer' in budget) return ratio !== undefined && ratio > budget.atMostTimesPeer;
  return 'atMost' in budget ? ours > budget.atMost : ours < budget.atLeast;
}
