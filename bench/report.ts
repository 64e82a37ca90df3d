import type { Machine } from './machine.ts';
import type { Figure, Measurement } from './row.ts';

export interface Result extends Measurement {
  row: string;
}

export function renderReport(machine: Machine, results: readonly Result[]): string {
  const { cores, processor, memoryGb, node, kubernetes, loadAverage } = machine;
  const facts = `${cores} cores (${processor}), ${memoryGb} GB, Node ${node}, Kubernetes ${kubernetes}, load ${loadAverage} at the start`;
  return [facts, ...results.map(renderResult)].join('\n\n');
}

function renderResult({ row, ours, peer, how, figures }: Result): string {
  const head = ['', ours, peer, 'budget'];
  const lines = figures.map((figure) => [
    figure.what,
    amount(figure.ours, figure),
    figure.peer === undefined ? '–' : amount(figure.peer, figure),
    figure.budget ?? '–',
  ]);
  return [`${row}: ${how}`, ...columns([head, ...lines])].join('\n');
}

function amount(value: number, { unit }: Figure): string {
  const digits = Math.abs(value) < 10 ? 2 : Math.abs(value) < 100 ? 1 : 0;
  return `${value.toFixed(digits)} ${unit}`;
}

/** Aligns the first and the last column to the left and the others to the right. */
function columns(rows: readonly string[][]): string[] {
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
