import type { Stamped } from '../../core/stamp/stamp-text.ts';
import { replaceFiles } from './replace-files.ts';
import { readTextFile, type TextFile } from './text-file.ts';

export interface StampRun {
  /** Paths; `-` reads standard input, and its new text goes to standard output. */
  files: readonly string[];
  stamp: (text: string) => Stamped;
  /** `dry-run` and `check` write nothing; `check` fails when a file would change. */
  mode: 'write' | 'dry-run' | 'check';
}

export interface StampOutcome {
  exitCode: 0 | 1;
  stdout: Buffer;
  stderr: string;
}

/** Reads and stamps all files before it writes the first: when one has a problem, none is changed. */
export async function stampFiles({ files, stamp, mode }: StampRun): Promise<StampOutcome> {
  const problems: string[] = [];
  const results: { file: TextFile; stamped: Stamped }[] = [];
  const seen = new Set<string>();
  for (const name of files) {
    const file = await readTextFile(name);
    if ('problem' in file) {
      problems.push(file.problem);
      continue;
    }
    // A file that is named twice, also by a link, is stamped once.
    if (seen.has(file.target)) continue;
    seen.add(file.target);
    const stamped = stamp(file.text);
    for (const { line, message } of stamped.problems)
      problems.push(`${line === undefined ? shown(name) : `${shown(name)}:${line}`}: ${message}`);
    results.push({ file, stamped });
  }
  if (mode === 'check')
    for (const { file, stamped } of results)
      if (stamped.changed)
        problems.push(`${shown(file.name)}: is not up to date: run the command without --check`);
  if (problems.length > 0) return failed(problems);
  const changed = results.flatMap(({ file, stamped }) =>
    stamped.changed && file.name !== '-' ? [{ ...file, text: stamped.text }] : [],
  );
  const problem = mode === 'write' ? replaceFiles(changed) : undefined;
  return problem === undefined ? done(results, mode) : failed([problem]);
}

function done(
  results: readonly { file: TextFile; stamped: Stamped }[],
  mode: StampRun['mode'],
): StampOutcome {
  const suffix = mode === 'dry-run' ? ' (dry run)' : '';
  const lines = results.map(({ file, stamped }) => `${shown(file.name)}: ${stamped.summary}${suffix}\n`);
  const filter = results.find(({ file }) => file.name === '-');
  // Standard output has the new text and nothing else.
  if (filter !== undefined && mode === 'write')
    return {
      exitCode: 0,
      stdout: Buffer.from(filter.stamped.text, filter.file.encoding),
      stderr: lines.join(''),
    };
  return { exitCode: 0, stdout: Buffer.from(lines.join('')), stderr: '' };
}

function failed(problems: readonly string[]): StampOutcome {
  const stderr = problems.map((problem) => `error: ${problem}\n`).join('');
  return { exitCode: 1, stdout: Buffer.alloc(0), stderr };
}

function shown(name: string): string {
  return name === '-' ? 'standard input' : name;
}
