import type { BuiltImage } from './build-image.ts';

/** One line of the table of sizes. */
export interface SizeRow {
  image: string;
  platform: string;
  /** Bytes that a node downloads. */
  compressed: number;
  /** Bytes on the disk of the node. */
  uncompressed: number;
  /** Maximum of the compressed bytes. */
  budget: number;
}

export function sizeRows({ definition, images }: BuiltImage): SizeRow[] {
  return images.map(({ platform, image: { config, manifest, layers } }) => ({
    image: definition.name,
    platform: platform.name,
    compressed: sum([config.content.length, manifest.content.length, ...layers.map(({ size }) => size)]),
    uncompressed: sum(layers.map(({ uncompressed }) => uncompressed)),
    budget: definition.budget,
  }));
}

export function isOverBudget({ compressed, budget }: SizeRow): boolean {
  return compressed > budget;
}

/** Megabytes are millions of bytes. */
export function sizeTable(rows: readonly SizeRow[]): string {
  const cells = [
    ['IMAGE', 'PLATFORM', 'COMPRESSED', 'UNCOMPRESSED', 'BUDGET', ''],
    ...rows.map((row) => [
      row.image,
      row.platform,
      megabytes(row.compressed),
      megabytes(row.uncompressed),
      megabytes(row.budget),
      isOverBudget(row) ? 'over budget' : 'ok',
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
