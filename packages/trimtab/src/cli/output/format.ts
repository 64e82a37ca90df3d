import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Flag } from '@trimtab/kube/flags/flags.ts';
import { stringify } from 'yaml';
import { renderJsonPath } from './json-path.ts';

export const outputFlag = {
  type: 'string',
  short: 'o',
  placeholder: 'json|yaml|name|wide|jsonpath=TEMPLATE',
  help: 'Format of the output. Defaults to a table for people.',
} as const satisfies Flag;

export type OutputFormat =
  | { format: 'table'; wide: boolean }
  | { format: 'json' | 'yaml' | 'name' }
  | { format: 'jsonpath'; template: string };

/** For commands whose output has no wide form and no names. */
export const objectOutputFlag = {
  ...outputFlag,
  placeholder: 'json|yaml|jsonpath=TEMPLATE',
} as const satisfies Flag;

/** Parses the value of `-o` for a command with `objectOutputFlag`. */
export function objectOutputFormat(text: string | undefined): OutputFormat {
  if (text !== 'wide' && text !== 'name') return outputFormat(text);
  throw unknownFormat(text, 'json,jsonpath=,yaml');
}

/** Parses the value of `-o`. Throws a usage error for any other format. */
export function outputFormat(text: string | undefined): OutputFormat {
  const format = parseFormat(text);
  if (format !== undefined) return format;
  throw unknownFormat(text ?? '', 'json,jsonpath=,name,wide,yaml');
}

function unknownFormat(text: string, allowed: string): OperationalError {
  return new OperationalError(
    errors.ConfigInvalid,
    `unable to match a printer suitable for the output format "${text}", allowed formats are: ${allowed}`,
  );
}

/** kubectl has more formats, such as go-template. */
export function isOutputFormat(text: string): boolean {
  return parseFormat(text) !== undefined;
}

function parseFormat(text: string | undefined): OutputFormat | undefined {
  if (text === undefined || text === '') return { format: 'table', wide: false };
  if (text === 'wide') return { format: 'table', wide: true };
  if (text === 'json' || text === 'yaml' || text === 'name') return { format: text };
  if (text.startsWith('jsonpath=')) return { format: 'jsonpath', template: text.slice('jsonpath='.length) };
  return undefined;
}

/**
 * Renders an object for programs. `names` are the lines of `-o name`. Returns undefined for the table, which each command
 * renders itself.
 */
export function renderObject(
  format: OutputFormat,
  object: object,
  names: readonly string[],
): string | undefined {
  switch (format.format) {
    case 'table':
      return undefined;
    case 'json':
      return `${JSON.stringify(object, null, 4)}\n`;
    case 'yaml':
      return stringify(object, { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' });
    case 'name':
      return names.map((name) => `${name}\n`).join('');
    case 'jsonpath':
      return renderJsonPath(format.template, object);
  }
}
