import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { OperationalError } from '@trimtab/kube/errors.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import { runCommand } from '@trimtab/kube/flags/run-command.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { trimtabCommands } from '../../../src/bin/commands.ts';
import { compiledProgram } from '../../support/trimtab-command.ts';

export interface TrimtabOptions {
  namespace?: string;
  /** Kubeconfig of another identity, see `Engine.kubeconfigOf`. */
  kubeconfig?: string;
  stdin?: string;
  /** Replaces the environment, but for PATH, HOME and KUBECONFIG. */
  env?: Record<string, string>;
}

export interface TrimtabResult {
  stdout: string;
  stderr: string;
  code: number | null;
}

/**
 * Runs `trimtab` until it ends, with output that is not a terminal. It runs in the process of the test, which is faster,
 * or as the compiled program with TRIMTAB_PROGRAM.
 */
export function runTrimtab(
  { kubeconfig: admin }: Pick<Engine, 'kubeconfig'>,
  args: readonly string[],
  options: TrimtabOptions = {},
): Promise<TrimtabResult> {
  const scope = options.namespace === undefined ? [] : ['--namespace', options.namespace];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    KUBECONFIG: options.kubeconfig ?? admin,
    ...options.env,
  };
  const argv = [...scope, ...args];
  return compiledProgram === undefined
    ? inProcess(argv, env, options.stdin ?? '')
    : asProgram(compiledProgram, argv, env, options.stdin ?? '');
}

async function inProcess(
  argv: readonly string[],
  env: Record<string, string>,
  stdin: string,
): Promise<TrimtabResult> {
  const written = { stdout: '', stderr: '' };
  const io: ProgramIo = {
    programName: 'trimtab',
    stdout: { write: (text) => (written.stdout += text) },
    stderr: { write: (text) => (written.stderr += text) },
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    env,
    onInterrupt: () => () => {},
  };
  try {
    const code = (await runCommand(trimtabCommands, argv, io)) ?? null;
    return { ...written, code };
  } catch (error) {
    if (!(error instanceof OperationalError)) throw error;
    return { ...written, stderr: `${written.stderr}error: ${error.message}\n`, code: error.exitCode };
  }
}

function asProgram(
  program: string,
  argv: readonly string[],
  env: Record<string, string>,
  stdin: string,
): Promise<TrimtabResult> {
  const child = spawn(program, argv, { env, stdio: 'pipe' });
  const written = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    written.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    written.stderr += text;
  });
  // The program may end before it has read all of its input.
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ...written, code }));
  });
}
