import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import { parseAllDocuments } from 'yaml';
import type { AnyObject } from '../../core/injection/pod-template-of.ts';

/** Reads YAML 1.1, as kubectl does: `0400` is an octal mode there. Errors show no content, which may be secret. */
export function parseObjects(text: string): AnyObject[] {
  const documents = parseAllDocuments(text, {
    version: '1.1',
    merge: true,
    prettyErrors: true,
    logLevel: 'silent',
  });
  return (Array.isArray(documents) ? documents : []).flatMap((document, index) => {
    const [problem] = document.errors;
    if (problem !== undefined)
      throw invalid(
        `document ${index + 1} is not valid YAML: ${problem.code} at line ${problem.linePos?.[0].line ?? 1}`,
      );
    const value: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null));
    if (value === null) return [];
    if (typeof value !== 'object' || Array.isArray(value))
      throw invalid(`document ${index + 1} is not an object`);
    return [value as AnyObject];
  });
}

function invalid(message: string): OperationalError {
  return new OperationalError(errors.ConfigInvalid, message);
}
