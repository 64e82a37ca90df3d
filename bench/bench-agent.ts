import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { BenchError } from './bench-error.ts';
import { type BenchProcess, figuresOf } from './bench-process.ts';
import type { BenchContext } from './row.ts';

export interface BenchAgent extends BenchProcess {
  pid: number | undefined;
  binaryMb: number;
}

const compiled = path.resolve(import.meta.dirname, '../dist/trimtab-agent');

/** Starts the compiled agent, which is what ships. */
export async function startAgent(context: BenchContext, root: string, url: string): Promise<BenchAgent> {
  const program = process.env['TRIMTAB_AGENT_PROGRAM'] ?? compiled;
  if (!existsSync(program))
    throw new BenchError(`${program} does not exist. Build the agent with \`npm run build:agent\`.`);
  const { kubeconfig } = await readBed(context.bed);
  const flags = [
    ...['--kubeconfig', kubeconfig, '--namespace', context.namespace, '--configmap=app'],
    ...[`--configroot=${root}`, `--reload-http=${url}`, '--health-host=127.0.0.1', '--health-port=0'],
  ];
  return start(program, flags, root, context, statSync(program).size / 1e6);
}

/** Starts the least program that has the same effect. */
export async function startAgentSketch(
  context: BenchContext,
  root: string,
  url: string,
): Promise<BenchAgent> {
  const program = path.join(import.meta.dirname, 'sketch-agent-process.ts');
  const args = [program, context.bed, context.namespace, root, url];
  return start(process.execPath, args, root, context, statSync(process.execPath).size / 1e6);
}

async function start(
  program: string,
  args: string[],
  root: string,
  { signal }: BenchContext,
  binaryMb: number,
): Promise<BenchAgent> {
  const began = performance.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-5_000);
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  while (!existsSync(path.join(root, 'app.conf'))) {
    if (child.exitCode !== null) throw new BenchError(`${program} ended before it wrote files: ${log}`);
    await delay(1);
  }
  return {
    readySeconds: (performance.now() - began) / 1000,
    ...figuresOf(child.pid),
    pid: child.pid,
    binaryMb,
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(15_000)]);
    },
  };
}
