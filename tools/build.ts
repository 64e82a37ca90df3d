import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { bunBinary } from '@trimtab/test-bed/bun-binary.ts';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';

const help = `Usage: npm run build [-- -o FILE]

Compiles Trimtab with Bun to one binary for this platform: controller, gateway, proxy and manifests. The local cluster is not
part of it. The tests start the binary instead of the sources when the environment variable TRIMTAB_PROGRAM has its path.

  -o, --output FILE  path of the binary; defaults to dist/trimtab
  -h, --help         print this text

Examples
  npm run build
  npm run build -- -o /tmp/trimtab
`;

const root = path.dirname(import.meta.dirname);
const { values } = toolArguments({ help, options: { output: { type: 'string', short: 'o' } } });
if (values.output === '') exitWithUsage(help, '--output needs the path of a file');
const output = path.resolve(values.output ?? path.join(root, 'dist/trimtab'));
const folder = path.dirname(output);
if (statSync(output, { throwIfNoEntry: false })?.isDirectory())
  exitWithUsage(help, `${output} is a directory; --output needs the path of a file`);

mkdirSync(folder, { recursive: true });
// The binary is renamed when it is complete, so a failed build keeps the last one. Bun also writes temporary files to its
// working directory.
const work = mkdtempSync(path.join(folder, '.build-'));
try {
  const binary = path.join(work, 'trimtab');
  compile(binary, work);
  check(binary);
  renameSync(binary, output);
  console.log(`${output}: ${(statSync(output).size / 1e6).toFixed(1)} MB`);
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

function compile(binary: string, cwd: string): void {
  const args = [
    ...['build', '--compile', '--external', '@trimtab/local-cluster/*', '--outfile', binary],
    // By default a compiled program reads .env and bunfig.toml of its working directory.
    ...['--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    // Optimised machine code takes 10 to 15 MB, and the programs mostly wait: only code that is very hot gets it.
    '--compile-jit-policy=100',
    path.join(root, 'packages/trimtab/src/bin/trimtab.ts'),
  ];
  const { status, signal, error, stdout, stderr } = spawnSync(bunBinary(), args, { cwd, encoding: 'utf8' });
  if (error) throw new Error(`cannot start Bun: ${error.message}`);
  if (status !== 0) throw new Error(`bun build failed (${signal ?? status}):\n${stdout}${stderr}`);
}

/** Each command is imported when it runs, so one that does not load would be noticed late. */
function check(binary: string): void {
  for (const command of ['controller', 'gateway', 'proxy', 'manifests']) {
    const { status, stderr } = spawnSync(binary, [command, '--help'], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the compiled \`trimtab ${command}\` does not load: ${stderr}`);
  }
  if (spawnSync(binary, ['local']).status !== 2)
    throw new Error(
      'the compiled `trimtab local` must exit with code 2: the local cluster is not part of it',
    );
}
