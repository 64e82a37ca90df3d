import { spawn } from 'node:child_process';
import { join } from 'node:path';

const main = join(import.meta.dirname, '..', 'main.ts');

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `npm run cluster -- …` as a separate process. */
export function cluster(...words: string[]): Promise<Ended> {
  return startCluster(...words).ended;
}

export function startCluster(...words: string[]): { kill(): void; ended: Promise<Ended> } {
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { kill: () => child.kill('SIGKILL'), ended };
}
