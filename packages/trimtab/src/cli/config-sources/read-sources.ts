import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Flag } from '@trimtab/kube/flags/flags.ts';
import type { ProgramIo } from '@trimtab/kube/flags/program-io.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import type { ConfigKind } from '../../core/references/references.ts';
import { CommandFailure, exitCodes } from '../failure.ts';
import { ConfigData, maxContentBytes, tooLarge } from './config-data.ts';
import { parseEnvFile } from './env-file.ts';
import { type FileSource, parseFileSource, parseLiteral, splitPaths } from './source-arguments.ts';

/** kubectl's flags for the content of a ConfigMap or Secret. */
export const sourceFlags = {
  fromFile: {
    type: 'list',
    placeholder: '[KEY=]PATH',
    help: 'File whose name is the key, unless one is given, or folder with files; may be repeated. KEY=/dev/stdin reads standard input.',
  },
  fromLiteral: {
    type: 'list',
    placeholder: 'KEY=VALUE',
    help: 'Key and value; may be repeated.',
  },
  fromEnvFile: {
    type: 'list',
    placeholder: 'PATH',
    help: 'File with lines KEY=VALUE; may be repeated. Quotes are part of the value, and KEY alone takes the value of the environment variable.',
  },
} as const satisfies Record<string, Flag>;

export interface SourceValues {
  fromFile: readonly string[];
  fromLiteral: readonly string[];
  fromEnvFile: readonly string[];
}

export function hasSources({ fromFile, fromLiteral, fromEnvFile }: SourceValues): boolean {
  return fromFile.length + fromLiteral.length + fromEnvFile.length > 0;
}

/** Reads the content of a config from files and literals, with kubectl's results and errors. */
export async function readSources(
  { kind, name }: { kind: ConfigKind; name: string },
  { fromFile, fromLiteral, fromEnvFile }: SourceValues,
  { env, stdin }: Pick<ProgramIo, 'env' | 'stdin'>,
): Promise<Pick<ConfigBody, 'data' | 'binaryData'>> {
  if (fromEnvFile.length > 0 && fromFile.length + fromLiteral.length > 0)
    throw new CommandFailure('from-env-file cannot be combined with from-file or from-literal', {
      exitCode: exitCodes.usage,
    });
  const data = new ConfigData(kind, name);
  const read = async (file: string, key: string) => {
    const found = await readBytes(file, stdin);
    if (typeof found === 'number') throw tooLarge(kind, name, found, { key, bytes: found });
    return found;
  };
  for (const source of fromFile.flatMap((text) => splitPaths('--from-file', text)).map(parseFileSource))
    for (const { key, file } of await filesOf(source)) data.add(key, await read(file, key));
  for (const { key, value } of fromLiteral.map((text) => parseLiteral(kind, text)))
    data.add(key, Buffer.from(value));
  for (const file of fromEnvFile.flatMap((text) => splitPaths('--from-env-file', text))) {
    if (await isFolder(file))
      throw new CommandFailure(`env ${kind === 'Secret' ? 'secret' : 'config'} file cannot be a directory`);
    const bytes = await read(file, path.basename(file));
    for (const { key, value } of parseEnvFile(kind, file, bytes, env)) data.add(key, Buffer.from(value));
  }
  return data.content();
}

/** The regular files of a folder, without those of its subfolders and without symbolic links; or the file itself. */
async function filesOf({
  key,
  path: file,
  isKeyChosen,
}: FileSource): Promise<{ key: string; file: string }[]> {
  if (!(await isFolder(file))) return [{ key, file }];
  if (isKeyChosen) throw new CommandFailure('cannot give a key name for a directory path');
  const entries = await readdir(file, { withFileTypes: true }).catch((error: unknown) => {
    throw new CommandFailure(`error listing files in ${file}: ${systemText(error)}`);
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => ({ key: entry.name, file: path.join(file, entry.name) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
}

async function isFolder(file: string): Promise<boolean> {
  if (isStandardInput(file)) return false;
  try {
    return (await stat(file)).isDirectory();
  } catch (error) {
    throw new CommandFailure(
      `error reading ${file}: ${systemText(error)}`,
      file === '-' ? { hint: 'KEY=/dev/stdin reads standard input' } : {},
    );
  }
}

/** Reads a file, or returns the size of one that is too large for a config. A pipe is read up to that size. */
async function readBytes(file: string, stdin: ProgramIo['stdin']): Promise<Buffer | number> {
  try {
    if (!isStandardInput(file)) {
      const { size } = await stat(file);
      if (size > maxContentBytes) return size;
    }
    const parts: Buffer[] = [];
    let total = 0;
    for await (const part of isStandardInput(file) ? stdin : createReadStream(file)) {
      parts.push(Buffer.from(part));
      total += part.length;
      if (total > maxContentBytes) return total;
    }
    return Buffer.concat(parts);
  } catch (error) {
    throw new CommandFailure(`open ${file}: ${systemText(error)}`);
  }
}

/** Standard input of the command, which tests replace. */
function isStandardInput(file: string): boolean {
  return file === '/dev/stdin' || file === '/dev/fd/0';
}

/** The words of the operating system: `no such file or directory`. */
function systemText(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) throw error;
  return /^\w+: ([^,]+)/.exec(message)?.[1] ?? code;
}
