import { execFile } from 'node:child_process';

export interface ProgramResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end. Output is read as Latin-1, so that every byte can be compared. */
export function runProgram(
  [file, args]: [file: string, args: string[]],
  { cwd, stdin = '' }: { cwd: string; stdin?: string },
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = execFile(file, args, { cwd, encoding: 'latin1' }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, stdout, stderr }),
    );
    child.stdin?.on('error', () => {}).end(stdin, 'latin1');
  });
}
