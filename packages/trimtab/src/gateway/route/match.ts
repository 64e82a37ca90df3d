import { quoted } from '../../core/messages/quoted.ts';
import { badRequest } from '../../versions/refusal.ts';
import type { Route } from './route.ts';

export interface Match {
  route: Route;
  parameters: Record<string, string>;
}

export interface RouteTable {
  /** Returns undefined when no route matches. Throws a Refusal for a path that cannot be decoded. */
  find(method: string, path: string): Match | undefined;
}

/** `find` takes the raw path without its query, because each segment must be decoded exactly once. */
export function routeTable(routes: readonly Route[]): RouteTable {
  const entries = routes.map((route) => ({ route, pattern: route.path.split('/') }));
  return {
    find(method, path) {
      const segments = path.split('/');
      // Node sends the response of a GET without its body.
      const wanted = method === 'HEAD' ? 'GET' : method;
      for (const { route, pattern } of entries) {
        if (route.method !== wanted || !fits(pattern, segments)) continue;
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

/**
 * Decodes a segment exactly once, so that a version named `50%ad` can be reached. A segment that is encoded twice names
 * another version at most: namespaces and names are checked, and no decoded segment becomes part of a path upstream.
 */
function decoded(segment: string): string {
  const value = percentDecoded(segment);
  const problem = segmentProblem(value);
  if (problem !== undefined) throw badRequest(`the path segment ${quoted(segment)} ${problem}`);
  return value;
}

function percentDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`the path segment ${quoted(segment)} is not valid percent-encoded UTF-8`);
  }
}

function segmentProblem(value: string): string | undefined {
  if (value === '.' || value === '..') return 'is reserved in paths and cannot be a name';
  if (value.includes('\0')) return 'contains a NUL character';
  return undefined;
}
