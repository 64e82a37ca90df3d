import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import type { Logger } from '../log/log.ts';
import { createMaterial, type MaterialSource } from './material.ts';

export interface ClientAuthorityOptions {
  /** The certificate and key to serve; `file` provides the client authority. */
  material: MaterialSource;
  file: string;
  clock: Clock;
  log: Logger;
  /** Interval at which the file is read again. Defaults to 30 s. */
  intervalMs?: number;
}

/** Adds the client authorities in `file` to `material` and follows changes of both. Rejects on an unusable file. */
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
      .catch((err: unknown) =>
        log.warn({ err }, 'client authorities are unusable; keeping the last good ones'),
      )
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
    throw unusable(`${file} contains no PEM certificate`);
  }
}

function unusable(problem: string): OperationalError {
  return new OperationalError(
    errors.TlsMaterialUnusable,
    `${problem}. Replace the file; the new file is loaded without a restart.`,
  );
}
