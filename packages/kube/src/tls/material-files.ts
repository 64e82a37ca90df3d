import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { checkMaterial, createMaterial, type MaterialSource, type TlsMaterial } from './material.ts';

interface MaterialFiles {
  certificate: string;
  key: string;
  /** The authorities whose client certificates are accepted. */
  clientAuthority?: string;
}

export interface MaterialFilesOptions {
  files: MaterialFiles;
  clock: Clock;
  log: Logger;
  /** How often the files are read again; 30 s unless told. */
  intervalMs?: number;
}

/**
 * Loads TLS material and follows its files. It rejects with TlsMaterialUnusable when the first set cannot be used;
 * a later one that cannot be is logged, and the last good one stays.
 *
 * The files are read again and compared rather than watched: a kubelet replaces a directory behind a symbolic
 * link, which file watches miss, and both files are a few KB.
 */
export async function openMaterialFiles(
  options: MaterialFilesOptions,
): Promise<MaterialSource & { close(): void }> {
  const { files, clock, log, intervalMs = 30_000 } = options;
  const material = createMaterial(await load(files, clock.now()));
  let lastProblem: string | undefined;
  let closed = false;
  let cancel = clock.after(intervalMs, check);

  function check(): void {
    void refresh().finally(() => {
      if (!closed) cancel = clock.after(intervalMs, check);
    });
  }

  async function refresh(): Promise<void> {
    try {
      const next = await load(files, clock.now());
      lastProblem = undefined;
      if (closed || isSame(next, material.current())) return;
      material.replace(next);
      log.info({ file: files.certificate }, 'TLS certificate replaced');
    } catch (err) {
      // Certificate and key are two files: between their replacements they do not match, which the next look cures.
      const problem = err instanceof Error ? err.message : String(err);
      if (problem !== lastProblem) log.warn({ err }, 'TLS files unusable, the last good ones stay');
      lastProblem = problem;
    }
  }

  return {
    current: material.current,
    onChange: material.onChange,
    close() {
      closed = true;
      cancel();
    },
  };
}

async function load(files: MaterialFiles, now: number): Promise<TlsMaterial> {
  // One after the other, so that of several missing files it is always the first that is named.
  const certificate = await read(files.certificate);
  const key = await read(files.key);
  const clientAuthority = files.clientAuthority === undefined ? undefined : await read(files.clientAuthority);
  const material = { certificate, key, ...(clientAuthority === undefined ? {} : { clientAuthority }) };
  checkMaterial(material, files, now);
  return material;
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw new OperationalError(errors.TlsMaterialUnusable, `${file} cannot be read (${code})`, { cause });
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  return a.certificate === b.certificate && a.key === b.key && a.clientAuthority === b.clientAuthority;
}
