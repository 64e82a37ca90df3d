import { open } from 'node:fs/promises';
import type { Container } from '../../objects/pod.ts';
import { readLog } from '../logs/read-log.ts';

const maxBytes = 4096;
const maxLogBytes = 2048;
const maxLogLines = 80;

/** The termination message: from its file, or from the end of the log if the policy is FallbackToLogsOnError. */
export async function terminationMessage(
  { terminationMessagePolicy }: Container,
  exitCode: number,
  files: { message: readonly string[]; log: string },
): Promise<string> {
  for (const file of files.message) {
    const text = await endOf(file, maxBytes);
    if (text !== '') return text;
  }
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return '';
  return endOfLog(files.log);
}

/** The last output of the container; empty when the log cannot be read. */
export async function endOfLog(file: string): Promise<string> {
  try {
    const pieces: Buffer[] = [];
    const never = new AbortController().signal;
    for await (const piece of readLog(file, { tailLines: maxLogLines }, undefined, never)) pieces.push(piece);
    return lastBytes(Buffer.concat(pieces), maxLogBytes);
  } catch {
    return '';
  }
}

async function endOf(file: string, bytes: number): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.min(size, bytes));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, Math.max(0, size - bytes));
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await handle.close();
  }
}

function lastBytes(text: Buffer, bytes: number): string {
  return text.subarray(Math.max(0, text.length - bytes)).toString();
}
