import { badRequest, StatusError } from '../errors/status-error.ts';

/** Undefined for none. Throws a StatusError, whose code and words depend on who asks. */
export function parseVersion(text: string, verb: 'get' | 'list' | 'watch'): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (verb === 'list') throw badRequest(`invalid resource version: ${problem}`);
  throw new StatusError(500, undefined, problem);
}

/** A version that has not happened yet: a client that came from another server, or a database that was replaced. */
export function checkNotTooNew(version: number | undefined, current: number): void {
  if (version === undefined || version <= current) return;
  throw new StatusError(
    504,
    'Timeout',
    `Timeout: Too large resource version: ${version}, current: ${current}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
}
