import { constants } from 'node:os';

/** The status sent at the end of a session. kubectl derives its exit code from it. */
export interface ExitStatus {
  metadata: object;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: { causes: { reason: string; message: string }[] };
  code?: number;
}

export function exitStatus(code: number | null, signal: NodeJS.Signals | null): ExitStatus {
  if (code === 0) return { metadata: {}, status: 'Success' };
  const number = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${number}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(number) }] },
  };
}

/** The status of a command that could not be started. */
export function failedStatus(command: readonly string[], error: Error): ExitStatus {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
  const why = isMissing ? 'executable file not found in $PATH' : error.message;
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: exec failed: unable to start "${command[0] ?? ''}": ${why}`,
    reason: 'InternalError',
    details: { causes: [{ reason: '', message: why }] },
    code: 500,
  };
}
