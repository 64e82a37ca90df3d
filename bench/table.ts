/** Aligns the first and the last column to the left and the others to the right. */
export function table(rows: readonly string[][]): string[] {
  const widths = rows.reduce<number[]>((widest, cells) => {
    return cells.map((cell, column) => Math.max(cell.length, widest[column] ?? 0));
  }, []);
  return rows.map((cells) =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column === 0 || column === cells.length - 1 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('   ')
      .trimEnd(),
  );
}
