import { scanJson } from '@trimtab/kube/json/scan-json.ts';
import { badRequest } from '../errors/status-error.ts';
import { isObject } from '../object.ts';
import type { FieldValidation } from './options.ts';
import { readYaml, type YamlBody, YamlProblem } from './yaml-body.ts';

export interface AppliedConfig {
  value: Record<string, unknown>;
  /** Duplicate keys, unless field validation is Ignore; they are reported after all other problems. */
  duplicates: string[];
}

/** Reads the body of an apply, in YAML or JSON. Throws a StatusError. */
export function readConfig(text: string, validation: FieldValidation): AppliedConfig {
  const { json, duplicates } = parse(text);
  const value: unknown = JSON.parse(json) ?? {};
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    );
  }
  return { value, duplicates: validation === 'Ignore' ? [] : duplicates };
}

/** Most clients send JSON, which is a subset of YAML and much faster to parse. */
function parse(text: string): YamlBody {
  if (text.startsWith('{') && isPlainJson(text)) return { json: text, duplicates: [] };
  try {
    return readYaml(text);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** JSON with duplicate keys is parsed as YAML, as only the YAML parser reports their lines. */
function isPlainJson(text: string): boolean {
  const { errorAt, tooDeep, duplicates } = scanJson(text);
  if (tooDeep !== undefined)
    throw badRequest('error decoding YAML: error converting YAML to JSON: yaml: exceeded max depth of 10000');
  return errorAt === undefined && duplicates.length === 0;
}
