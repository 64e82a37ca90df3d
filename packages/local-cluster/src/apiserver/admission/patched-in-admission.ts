import type { ApiObject } from '../object.ts';
import { jsonPatch, type Operation } from '../patch/json-patch.ts';
import { PatchProblem } from '../patch/patch-problem.ts';

/** Applies the JSON patch of a webhook or policy. Throws a PatchProblem with the text of Kubernetes' JSON patch library. */
export function patchedInAdmission(object: ApiObject, patch: readonly Operation[]): unknown {
  let result: unknown = object;
  for (const operation of patch) {
    try {
      result = jsonPatch(result, [operation]);
    } catch (error) {
      if (!(error instanceof PatchProblem)) throw error;
      throw new PatchProblem(asGo(operation, error.message));
    }
  }
  return result;
}

function asGo({ op, path }: Operation, why: string): string {
  if (why.startsWith('Unexpected kind')) return why;
  const told = why.startsWith('doc is missing path')
    ? `doc is missing path: ${JSON.stringify(path)}: missing value`
    : why;
  return `${op} operation does not apply: ${told}`;
}
