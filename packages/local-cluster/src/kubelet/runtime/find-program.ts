import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

interface Place {
  env: Record<string, string>;
  cwd: string;
  hostPath(path: string): string;
}

/** Returns why a program cannot be started, as a container runtime words it; undefined when it can be started. */
export async function programProblem(program: string, place: Place): Promise<string | undefined> {
  if (program === '') return 'exec: "": executable file not found in $PATH';
  if (program.includes('/')) return fileProblem(program, program, place);
  const folders = (place.env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');
  for (const folder of folders)
    if ((await fileProblem(program, join(folder, program), place)) === undefined) return undefined;
  return `exec: "${program}": executable file not found in $PATH`;
}

async function fileProblem(program: string, path: string, place: Place): Promise<string | undefined> {
  const file = isAbsolute(path) ? place.hostPath(path) : join(place.cwd, path);
  try {
    if ((await stat(file)).isDirectory()) return `exec: "${program}": is a directory`;
    await access(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
      ? `exec: "${program}": permission denied`
      : `exec: "${program}": stat ${path}: no such file or directory`;
  }
}
