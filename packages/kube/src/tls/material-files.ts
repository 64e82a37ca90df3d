import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { checkMaterial, createMaterial, type MaterialSource, type TlsMaterial } from './material.ts';

interface MaterialFiles {
  certificate: string;
  key: string;
  /** PEM file of the authorities whose client certificates are accepted. */
  clientAuthority?: string;
}

export interface MaterialFilesOptions {
  files: MaterialFiles;
  clock: Clock;
  log: Logger;
  /** Interval at which the files are read again. Defaults to 30 s. */
  intervalMs?: number;
}

/**
 * Loads TLS material from files and follows their changes. Rejects with `TlsMaterialUnusable` when the files are
 * unusable at startup. When they become unusable later, the problem is logged and the last good material is kept.
 *
 * The files are polled instead of watched: the kubelet replaces a directory behind a symbolic link, which file
 * watches miss, and the files are only a few KB.
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
      // Certificate and key are replaced one after the other and briefly do not match; the next read then succeeds.
      const problem = err instanceof Error ? err.message : String(err);
      if (problem !== lastProblem) log.warn({ err }, 'TLS files are unusable; keeping the last good ones');
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
  // Sequential, so that with several missing files the error always names the first.
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
