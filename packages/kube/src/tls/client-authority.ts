import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { createMaterial, type MaterialSource } from './material.ts';

export interface ClientAuthorityOptions {
  /** What is served, whose client authority is to come from `file`. */
  material: MaterialSource;
  file: string;
  clock: Clock;
  log: Logger;
  /** How often the file is read again; 30 s unless told. */
  intervalMs?: number;
}

/** Adds the authorities whose client certificates are accepted, and follows both. Rejects when the file has none. */
export async function withClientAuthority(
  options: ClientAuthorityOptions,
): Promise<MaterialSource & { close(): void }> {
  const { material, file, clock, log, intervalMs = 30_000 } = options;
  let clientAuthority = await read(file);
  const both = createMaterial({ ...material.current(), clientAuthority });
  const update = () => both.replace({ ...material.current(), clientAuthority });
  const stopFollowing = material.onChange(update);
  let closed = false;
  let cancel = clock.after(intervalMs, check);

  function check(): void {
    void read(file)
      .then((now) => {
        if (closed || now === clientAuthority) return;
        clientAuthority = now;
        update();
        log.info({ file }, 'client authorities replaced');
      })
      .catch((err: unknown) => log.warn({ err }, 'client authorities unusable, the last good ones stay'))
      .finally(() => {
        if (!closed) cancel = clock.after(intervalMs, check);
      });
  }

  return {
    current: both.current,
    onChange: both.onChange,
    close() {
      closed = true;
      cancel();
      stopFollowing();
    },
  };
}

async function read(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
    throw unusable(`${file} cannot be read (${code})`);
  });
  try {
    new X509Certificate(text);
    return text;
  } catch {
    throw unusable(`there is no PEM certificate in ${file}`);
  }
}

function unusable(problem: string): OperationalError {
  return new OperationalError(
    errors.TlsMaterialUnusable,
    `${problem}. Replace it; the new one is picked up by itself.`,
  );
}
