import { type SpawnOptions, spawn } from 'node:child_process';
import { BedError } from '../terminal/bed-error.ts';

/** Runs a program and returns its standard output. Throws with the last lines of its output when it fails. */
export async function run(command: readonly string[], options: SpawnOptions = {}): Promise<string> {
  const [program = '', ...rest] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let complained = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complained += text;
    });
    child.on('error', (cause) => reject(new BedError(`cannot run ${program}`, [cause.message], { cause })));
    child.on('close', (code, signalName) => {
      if (code === 0) return resolve(printed);
      const lines = (complained || printed).trimEnd().split('\n').slice(-10);
      reject(new BedError(`${command.join(' ')} exited with ${signalName ?? `code ${code}`}`, lines));
    });
  });
}
