import { badRequest } from '../answer/status-error.ts';
import type { Route } from './route.ts';

interface Match {
  route: Route;
  parameters: Record<string, string>;
}

export interface RouteTable {
  /** The route of a request; undefined when it is nobody's of ours. Throws a StatusError for a path that can't be read. */
  find(method: string, path: string): Match | undefined;
}

/** `path` is as it came, without its query: what is decoded once must not be decoded again. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const entries = routes.map((route) => ({ route, pattern: route.path.split('/') }));
  return {
    find(method, path) {
      const segments = path.split('/');
      for (const { route, pattern } of entries) {
        if (route.method !== method || !fits(pattern, segments)) continue;
        return { route, parameters: parametersOf(pattern, segments) };
      }
      return undefined;
    },
  };
}

function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  );
}

function parametersOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  pattern.forEach((part, index) => {
    if (isParameter(part)) found[part.slice(1, -1)] = decoded(segments[index] ?? '');
  });
  return found;
}

function isParameter(part: string): boolean {
  return part.startsWith('{');
}

/** Decoded exactly once. What a second decoding would change again, somebody on the way may take for another path. */
function decoded(segment: string): string {
  const value = percentDecoded(segment);
  const problem = segmentProblem(value);
  if (problem !== undefined)
    throw badRequest(`the path has a part that ${problem}: ${JSON.stringify(segment)}`);
  return value;
}

function percentDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(
      `the path has a part that is not valid percent-encoded UTF-8: ${JSON.stringify(segment)}`,
    );
  }
}

function segmentProblem(value: string): string | undefined {
  if (value === '.' || value === '..') return 'has a meaning in paths and cannot be a name';
  if (value.includes('\0')) return 'has a NUL in it';
  if (/%[0-9a-f]{2}/i.test(value)) return 'is percent-encoded twice; encode it once';
  return undefined;
}
