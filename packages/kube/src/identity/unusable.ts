import { errors, OperationalError } from '../errors.ts';

export function unusable(message: string, cause?: unknown): OperationalError {
  return new OperationalError(errors.KubeconfigUnusable, message, cause === undefined ? {} : { cause });
}
