import { badRequest, StatusError } from '../errors/status-error.ts';

/** Parses a resource version; undefined when empty. Throws a StatusError whose code and message depend on the verb. */
export function parseVersion(text: string, verb: 'get' | 'list' | 'watch'): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const problem = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  if (verb === 'list') throw badRequest(`invalid resource version: ${problem}`);
  throw new StatusError(500, undefined, problem);
}

/** Refuses a version from the future: the client used another server before, or the database was replaced. */
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
