import { parseDuration } from './duration.ts';
import type { Flag } from './flags.ts';

type FlagValue = string | number | boolean | string[];
type Result = { value: FlagValue } | { problem: string };

/** Parses a value of the flag's type. `problem` completes a sentence that starts with the flag or its variable. */
export function parseValue(flag: Flag, text: string): Result {
  switch (flag.type) {
    case 'string':
      return text === '' ? { problem: 'must not be empty' } : { value: text };
    case 'list':
      return { value: text.split(',').filter((part) => part !== '') };
    case 'boolean':
      return parseBoolean(text);
    case 'port':
      return parseNumber(text, { type: 'integer', min: 0, max: 65_535 }, 'a port');
    case 'integer':
      return parseNumber(text, flag, 'an integer');
    case 'number':
      return parseNumber(text, flag, 'a number');
    case 'duration':
      return readDuration(text, flag);
    case 'choice':
      return flag.choices.includes(text)
        ? { value: text }
        : { problem: `must be one of ${flag.choices.join(', ')}, not '${text}'` };
  }
}

function parseBoolean(text: string): Result {
  if (text === 'true' || text === '1') return { value: true };
  if (text === 'false' || text === '0') return { value: false };
  return { problem: `must be true or false, not '${text}'` };
}

function parseNumber(
  text: string,
  limits: { type: 'integer' | 'number'; min?: number; max?: number },
  expected: string,
): Result {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const usable = limits.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  if (usable && value >= min && value <= max) return { value };
  return { problem: `must be ${expected}${range(limits.min, limits.max)}, not '${text}'` };
}

function readDuration(text: string, flag: { min?: string; max?: string }): Result {
  const value = parseDuration(text);
  const bound = (limit: string | undefined, otherwise: number) =>
    limit === undefined ? otherwise : (parseDuration(limit) ?? otherwise);
  if (value === undefined)
    return { problem: `must be a duration such as 500ms, 10s or 1h30m, not '${text}'` };
  if (value >= bound(flag.min, 0) && value <= bound(flag.max, Number.POSITIVE_INFINITY)) return { value };
  return { problem: `must be a duration${range(flag.min, flag.max)}, not '${text}'` };
}

function range(min: string | number | undefined, max: string | number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}
