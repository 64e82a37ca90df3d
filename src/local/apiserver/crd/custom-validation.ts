import { type FieldError, invalid } from '../errors/field-error.ts';
import type { Strategy } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { type Problem, reasonOf, sentence } from './problem.ts';
import { isUnchanged } from './ratchet.ts';
import { hasRules, notChecked, ruleProblems } from './rules.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

type Validation = Required<Pick<Strategy, 'validate' | 'validateUpdate' | 'validateStatus'>>;

/** The rules of a definition for its objects. What was wrong before and has not changed may stay. */
export function customValidation(kind: string, schema: StructuralSchema): Validation {
  const withRules = hasRules(schema);
  const problemsOf = (form: Problem[], object: ApiObject, old: ApiObject | undefined): FieldError[] => {
    const kept = form.filter((each) => !isUnchanged(each, object, old));
    const asked = withRules && !kept.some(({ blocks }) => blocks);
    const broken = asked ? ruleProblems(schema, object, old) : [];
    const all = [
      ...kept,
      ...broken.filter((each) => each.aboutChange === true || !isUnchanged(each, object, old)),
    ];
    if (withRules && !asked) all.push(notChecked);
    return [...kindErrors(kind, object), ...all.map(fieldError)];
  };
  return {
    validate: (object) => problemsOf(validate(schema, object), object, undefined),
    validateUpdate: (object, old) => problemsOf(validate(schema, object), object, old),
    validateStatus(object, old) {
      const status = schema.properties?.['status'];
      const value = (object as { status?: unknown }).status;
      const form = status === undefined || value === undefined ? [] : validate(status, value);
      const placed = form.map((each) => ({
        ...each,
        field: each.field === '' ? 'status' : `status.${each.field}`,
      }));
      return problemsOf(placed, object, old);
    },
  };
}

function kindErrors(kind: string, object: ApiObject): FieldError[] {
  return object.kind === kind ? [] : [invalid('kind', object.kind, `must be ${kind}`)];
}

function fieldError(problem: Problem): FieldError {
  const field = problem.field === '' ? '<nil>' : problem.field;
  return { reason: reasonOf(problem), field, body: sentence(problem).slice(field.length + 2) };
}
