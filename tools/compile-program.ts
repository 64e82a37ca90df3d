import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { bunBinary } from '@trimtab/test-bed/bun-binary.ts';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import type { Program } from './programs.ts';

const root = path.dirname(import.meta.dirname);

interface Compiled {
  /** Text of --help. */
  help: string;
  program: Program;
  /** Path of the binary without --output, relative to the repository. */
  output: string;
  /** Throws when the binary does not work. */
  check(binary: string): void;
}

/** A command of npm that compiles a program with Bun to one binary, with the flag --output. */
export function compileProgram({ help, program, output: standard, check }: Compiled): void {
  const { values } = toolArguments({ help, options: { output: { type: 'string', short: 'o' } } });
  if (values.output === '') exitWithUsage(help, '--output needs the path of a file');
  const output = path.resolve(values.output ?? path.join(root, standard));
  if (statSync(output, { throwIfNoEntry: false })?.isDirectory())
    exitWithUsage(help, `${output} is a directory; --output needs the path of a file`);
  const folder = path.dirname(output);
  mkdirSync(folder, { recursive: true });
  // The binary is renamed when it is complete, so a failed build keeps the last one. Bun also writes temporary files to its
  // working directory.
  const work = mkdtempSync(path.join(folder, '.build-'));
  try {
    const binary = path.join(work, path.basename(standard));
    compile({ program, binary, cwd: work });
    check(binary);
    renameSync(binary, output);
    console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB`);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs the binary; throws unless it ends with this exit code. */
export function expectExitCode(binary: string, args: readonly string[], expected: number): void {
  const { status, stderr } = spawnSync(binary, args, { encoding: 'utf8' });
  if (status === expected) return;
  const command = [path.basename(binary), ...args].join(' ');
  throw new Error(
    `the compiled \`${command}\` ended with exit code ${status} instead of ${expected}: ${stderr}`,
  );
}

interface Compilation {
  program: Program;
  /** Path of the binary that is written. */
  binary: string;
  /** Working directory of Bun. The binary contains the paths of the sources relative to it. */
  cwd: string;
  /** Another platform than this one, with the Bun of that platform. */
  target?: { name: string; bun: string };
  /** File to which Bun writes the list of the sources, as JSON. */
  metafile?: string;
}

export function compile({ program, binary, cwd, target, metafile }: Compilation): void {
  const { entry, external, define = {} } = program;
  const args = [
    ...['build', '--compile', ...external.flatMap((name) => ['--external', name]), '--outfile', binary],
    ...(target ? [`--target=${target.name}`, `--compile-executable-path=${target.bun}`] : []),
    ...(metafile === undefined ? [] : [`--metafile=${metafile}`]),
    // By default a compiled program reads .env and bunfig.toml of its working directory.
    ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    // Optimised machine code takes 10 to 15 MB, and the programs mostly wait: only code that is very hot gets it.
    '--compile-jit-policy=100',
    // The program starts five times as fast. No module may wait at the top level.
    '--bytecode',
    // Bun would write the folder of the module on this machine, and the binary would depend on the place of the clone.
    ...Object.entries({ __dirname: '/', ...define }).flatMap(([name, text]) => [
      '--define',
      `${name}=${JSON.stringify(text)}`,
    ]),
    path.join(root, entry),
  ];
  const { status, signal, error, stdout, stderr } = spawnSync(bunBinary(), args, { cwd, encoding: 'utf8' });
  if (error) throw new Error(`cannot start Bun: ${error.message}`);
  if (status !== 0) throw new Error(`bun build failed (${signal ?? status}):\n${stdout}${stderr}`);
}
