type Moment = 'before' | 'after';

/** Counts the faults at each write site, before and after the write. */
export class FaultTable {
  readonly #rows = new Map<string, Record<Moment, number>>();

  hit(site: string, moment: Moment): void {
    const row = this.#rows.get(site) ?? { before: 0, after: 0 };
    row[moment] += 1;
    this.#rows.set(site, row);
  }

  /** Returns the sites without a fault before or after the write. */
  gaps(sites: Iterable<string>): string[] {
    return [...new Set(sites)].flatMap((site) => {
      const row = this.#rows.get(site) ?? { before: 0, after: 0 };
      return (['before', 'after'] as const).flatMap((moment) =>
        row[moment] === 0 ? [`${moment} ${site}`] : [],
      );
    });
  }

  render(): string {
    const rows = [...this.#rows].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const width = Math.max(...rows.map(([site]) => site.length), 4);
    const line = (site: string, before: string, after: string) =>
      `  ${site.padEnd(width)}  ${before.padStart(6)}  ${after.padStart(5)}`;
    return [
      line('write site', 'before', 'after'),
      ...rows.map(([site, { before, after }]) => line(site, String(before), String(after))),
    ].join('\n');
  }
}
