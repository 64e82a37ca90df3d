import { parseDuration } from '@trimtab/kube/flags/duration.ts';
import { badRequest } from './request-error.ts';

const maxWaitMs = 5 * 60_000;

/** Parses `?wait=30s` into milliseconds; 0 without the parameter. Throws a RequestError 400. */
export function parseWait(text: string | null): number {
  if (text === null) return 0;
  const ms = parseDuration(text);
  if (ms === undefined)
    throw badRequest(`wait=${shortened(text)} is not a duration: write it as ?wait=30s, 500ms or 1m`);
  if (ms > maxWaitMs)
    throw badRequest(`wait=${shortened(text)} is longer than the maximum of 5m: send ?wait=30s, and repeat`);
  return ms;
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 20 ? `${text.slice(0, 20)}…` : text);
}
