import { expect } from 'vitest';
import type { Answer } from './http.ts';
import type { Target } from './target.ts';

interface Entry {
  manager: string;
  operation: string;
  time?: string;
  subresource?: string;
  apiVersion: string;
  fieldsType: string;
  fieldsV1: object;
}

/** managedFields without the entries of the controllers in a complete cluster. */
export function entriesOf({ code, text, body }: Answer): Entry[] {
  expect(code, text).toBeLessThan(300);
  const { managedFields = [] } = body.metadata as { managedFields?: Entry[] };
  return managedFields.filter(({ manager }) => manager !== 'kube-controller-manager');
}

/** Fields by manager, such as `Apply me` or `Update st status` for a subresource, in the order of managedFields. */
export function ownersOf(answer: Answer): Record<string, object> {
  const told = entriesOf(answer).map(({ operation, manager, subresource, fieldsV1 }): [string, object] => [
    [operation, manager, ...(subresource === undefined ? [] : [subresource])].join(' '),
    fieldsV1,
  ]);
  return Object.fromEntries(told);
}

/** Applies a config as a field manager. */
export function applyAs(
  { api }: Target,
  path: string,
  manager: string,
  config: unknown,
  query: Record<string, string> = {},
): Promise<Answer> {
  return api.patch(path, 'apply', config, { query: { fieldManager: manager, ...query } });
}

/** The expected refusal of an apply that would change fields of other managers, with one cause per field. */
export function applyConflict(message: string, ...causes: [who: string, field: string][]) {
  return {
    code: 409,
    reason: 'Conflict',
    message,
    details: {
      causes: causes.map(([who, field]) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${who}`,
        field,
      })),
    },
  };
}
