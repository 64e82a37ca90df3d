import type { ConfigKind } from '../../core/references/references.ts';
import { CommandFailure } from '../failure.ts';
import { textOf } from './config-data.ts';
import { variableProblems } from './key-names.ts';

/**
 * Parses a file of --from-env-file by kubectl's rules: one `KEY=value` in a line, blank lines and lines that begin with # are
 * ignored, values are taken as they are, without quotes or escapes. `KEY` alone takes the value of the environment
 * variable, which is empty when it is not set. kubectl ignores everything from a line of 64 KiB on; here a line may have any
 * length. Errors about a Secret show nothing of the file.
 */
export function parseEnvFile(
  kind: ConfigKind,
  file: string,
  bytes: Buffer,
  env: Readonly<Record<string, string | undefined>>,
): { key: string; value: string }[] {
  return linesOf(bytes).flatMap((line, index) => {
    const text = textOf(line);
    if (text === undefined)
      throw new CommandFailure(`env file ${file} contains invalid utf8 bytes at line ${index + 1}`);
    const entry = (index === 0 ? text.replace(/^\uFEFF/, '') : text).replace(/^\p{White_Space}+/u, '');
    if (entry === '' || entry.startsWith('#')) return [];
    const at = entry.indexOf('=');
    const key = at === -1 ? entry : entry.slice(0, at);
    const problems = variableProblems(key);
    if (problems.length > 0)
      throw new CommandFailure(
        `${kind === 'Secret' ? `line ${index + 1} of env file ${file}` : JSON.stringify(key)} is not a valid key name: ${problems.join(';')}`,
      );
    return [{ key, value: at === -1 ? (env[key] ?? '') : entry.slice(at + 1) }];
  });
}

/** Lines end with LF or CRLF. Text after the last line break is a line, too. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(0x0a, start);
    const end = found === -1 ? bytes.length : found;
    lines.push(bytes.subarray(start, end > start && bytes[end - 1] === 0x0d ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}
