import { LineCounter, parseDocument } from 'yaml';
import { badRequest } from '../errors/status-error.ts';
import { isObject } from '../object.ts';
import { jsonText, YamlProblem } from './body.ts';
import type { FieldValidation } from './options.ts';

export interface AppliedConfig {
  value: Record<string, unknown>;
  /** Keys that are there twice, for who wants to know; told after everything else. */
  duplicates: string[];
}

/** The body of an apply, in YAML or JSON. Throws a StatusError. */
export function readConfig(text: string, validation: FieldValidation): AppliedConfig {
  const value = parse(text) ?? {};
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  return { value, duplicates: validation === 'Ignore' ? [] : duplicates(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(jsonText(Buffer.from(text), 'application/yaml'));
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** Keys that a mapping has twice, with their lines. */
function duplicates(text: string): string[] {
  const lineCounter = new LineCounter();
  const { errors } = parseDocument(text, { version: '1.1', uniqueKeys: true, merge: true, lineCounter });
  return errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map(({ pos }) => {
      const { line } = lineCounter.linePos(pos[0]);
      const key = /^\s*["']?([^"':\s]+)/.exec(text.slice(pos[0]))?.[1] ?? '';
      return `line ${line}: key ${JSON.stringify(key)} already set in map`;
    });
}
