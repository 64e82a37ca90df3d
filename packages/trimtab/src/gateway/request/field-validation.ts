import { abbreviate } from '../../core/messages/abbreviate.ts';
import { quoted } from '../../core/messages/quoted.ts';
import { badRequest, invalid } from '../../versions/refusal.ts';

/** How unknown fields are handled: refused, reported as warnings, or ignored. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface WriteParameters {
  dryRun: boolean;
  fieldManager: string | undefined;
  fieldValidation: FieldValidation;
}

/** Reads the query of a write as the API server does. */
export function writeParameters(query: URLSearchParams): WriteParameters {
  const dryRun = query.getAll('dryRun').filter((each) => each !== '');
  const fieldValidation = query.get('fieldValidation') || 'Warn';
  const about = { kind: 'CreateOptions', name: '' };
  if (dryRun.some((each) => each !== 'All'))
    throw invalid(about, [{ field: 'dryRun', problem: `Unsupported value: supported values: "All"` }]);
  if (!isFieldValidation(fieldValidation))
    throw invalid(about, [
      {
        field: 'fieldValidation',
        problem: `Unsupported value: supported values: "Ignore", "Warn", "Strict"`,
      },
    ]);
  return { dryRun: dryRun.length > 0, fieldManager: query.get('fieldManager') || undefined, fieldValidation };
}

/** Returns warnings for unknown fields, or throws in strict mode, with the API server's own messages. */
export function checkUnknownFields(
  unknown: readonly string[],
  validation: FieldValidation,
  kind: string,
): string[] {
  const sentences = abbreviate(unknown.map((field) => `unknown field ${quoted(field)}`));
  if (validation === 'Strict' && sentences.length > 0)
    throw badRequest(
      `${kind} in version "v1" cannot be handled as a ${kind}: strict decoding error: ${sentences.join(', ')}`,
    );
  return validation === 'Warn' ? sentences : [];
}

function isFieldValidation(text: string): text is FieldValidation {
  return text === 'Strict' || text === 'Warn' || text === 'Ignore';
}
