import { parseDuration } from './duration.ts';
import type { Flag } from './flags.ts';

type FlagValue = string | number | boolean | string[];
type Result = { value: FlagValue } | { problem: string };

/** Reads one text as the flag's type; a problem says what would be right, after `--flag` or its variable. */
export function parseValue(flag: Flag, text: string): Result {
  switch (flag.type) {
    case 'string':
      return text === '' ? { problem: 'is empty' } : { value: text };
    case 'list':
      return { value: text.split(',').filter((part) => part !== '') };
    case 'boolean':
      return parseBoolean(text);
    case 'port':
      return parseNumber(text, { type: 'integer', min: 0, max: 65_535 }, 'is not a port');
    case 'integer':
      return parseNumber(text, flag, 'is not a whole number');
    case 'number':
      return parseNumber(text, flag, 'is not a number');
    case 'duration':
      return readDuration(text, flag);
    case 'choice':
      return flag.choices.includes(text)
        ? { value: text }
        : { problem: `is '${text}', which is none of ${flag.choices.join(', ')}` };
  }
}

function parseBoolean(text: string): Result {
  if (text === 'true' || text === '1') return { value: true };
  if (text === 'false' || text === '0') return { value: false };
  return { problem: `is '${text}', which is neither true nor false` };
}

function parseNumber(
  text: string,
  limits: { type: 'integer' | 'number'; min?: number; max?: number },
  complaint: string,
): Result {
  const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  const usable = limits.type === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value);
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = limits;
  if (usable && value >= min && value <= max) return { value };
  return { problem: `is '${text}', which ${complaint}${range(limits.min, limits.max)}` };
}

function readDuration(text: string, flag: { min?: string; max?: string }): Result {
  const value = parseDuration(text);
  const bound = (limit: string | undefined, otherwise: number) =>
    limit === undefined ? otherwise : (parseDuration(limit) ?? otherwise);
  if (value === undefined)
    return { problem: `is '${text}', which is not a duration such as 500ms, 10s or 1h30m` };
  if (value >= bound(flag.min, 0) && value <= bound(flag.max, Number.POSITIVE_INFINITY)) return { value };
  return { problem: `is '${text}', which is not a duration${range(flag.min, flag.max)}` };
}

function range(min: string | number | undefined, max: string | number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
}
