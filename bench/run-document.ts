import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { BenchError } from './bench-error.ts';
import type { Machine } from './machine.ts';
import type { RowResult } from './row-result.ts';

/** Increase it when a field changes its meaning: runs of different schemas are not compared. */
export const schema = 1;

/** The JSON of a run. */
export interface RunDocument {
  schema: typeof schema;
  startedAt: string;
  commit: string;
  /** The value of --count; null for the default of each row. */
  count: number | null;
  machine: Machine;
  load: { start: number; end: number };
  results: RowResult[];
}

/** Reads the JSON of an earlier run. Throws a BenchError that says why the file cannot be used. */
export async function readRun(file: string): Promise<RunDocument> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BenchError(`cannot read ${file} (${error.code}); name a file that --out has written`);
  });
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new BenchError(`${file} is not valid JSON; name a file that --out has written`);
  }
  const version = isRecord(document) ? document['schema'] : undefined;
  if (version !== schema)
    throw new BenchError(
      `${file} has schema version ${version ?? 'none'}, but this version of the benchmarks compares version ${schema}; measure again`,
    );
  if (!isRun(document))
    throw new BenchError(`${file} is not a complete run; name a file that --out has written`);
  return document;
}

/** Throws a BenchError when the file cannot be written, so that a long run does not end without a result. */
export async function checkWritable(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  await access(folder, constants.W_OK).catch(() => {
    throw new BenchError(`cannot write ${file}: folder ${folder} does not exist or is not writable`);
  });
}

/** Writes through a temporary file, so that a reader sees the previous content or all of the new one. */
export async function writeRun(file: string, run: RunDocument): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, `${JSON.stringify(run, null, 2)}\n`);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

function isRun(document: unknown): document is RunDocument {
  return (
    isRecord(document) &&
    typeof document['commit'] === 'string' &&
    typeof document['startedAt'] === 'string' &&
    (document['count'] === null || typeof document['count'] === 'number') &&
    isRecord(document['machine']) &&
    isListOf(document['results'], isResult)
  );
}

function isResult(result: unknown): boolean {
  return isRecord(result) && typeof result['row'] === 'string' && isListOf(result['figures'], isFigure);
}

function isFigure(figure: unknown): boolean {
  return (
    isRecord(figure) &&
    typeof figure['what'] === 'string' &&
    typeof figure['unit'] === 'string' &&
    isSample(figure['ours']) &&
    (figure['ratio'] === undefined || isSample(figure['ratio']))
  );
}

function isSample(sample: unknown): boolean {
  return (
    isRecord(sample) &&
    typeof sample['median'] === 'number' &&
    (sample['spread'] === null || typeof sample['spread'] === 'number')
  );
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
