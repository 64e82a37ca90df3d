import { type FieldError, invalid } from '../errors/field-error.ts';
import type { Strategy, StrategyContext } from '../kinds/kind.ts';
import type { ApiObject } from '../object.ts';
import { type Problem, reasonOf, sentence } from './problem.ts';
import { hasRules, notChecked, ruleProblems } from './rules.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { validate } from './validate.ts';

type Validation = Required<Pick<Strategy, 'validate' | 'validateUpdate' | 'validateStatus'>>;

/** Validates objects by the schema of their definition. An update may keep invalid values that it does not change. */
export function customValidation(kind: string, schema: StructuralSchema): Validation {
  const withRules = hasRules(schema);
  const errorsOf = (
    form: Problem[],
    object: ApiObject,
    old: ApiObject | undefined,
    { warn }: StrategyContext,
  ): FieldError[] => {
    const isAsked = withRules && !form.some(({ blocks }) => blocks);
    const broken = isAsked ? ruleProblems(schema, object, old) : [];
    for (const each of broken) if (each.isOld === true) warn(sentence(each));
    const problems = [...form, ...broken.filter(({ isOld }) => isOld !== true)];
    if (withRules && !isAsked) problems.push(notChecked);
    return [...kindErrors(kind, object), ...problems.map(fieldError)];
  };
  return {
    validate: (object, context) => errorsOf(validate(schema, object), object, undefined, context),
    validateUpdate: (object, old, context) =>
      errorsOf(updateProblems(schema, object, old), object, old, context),
    validateStatus(object, old, context) {
      const status = schema.properties?.['status'];
      const [now, before] = [statusOf(object), statusOf(old)];
      const form = status === undefined || now === undefined ? [] : updateProblems(status, now, before);
      const placed = form.map((each) => ({
        ...each,
        field: each.field === '' ? 'status' : `status.${each.field}`,
      }));
      return errorsOf(placed, object, old, context);
    },
  };
}

/** If the old object has duplicate entries, Kubernetes accepts all duplicates in the new one. */
function updateProblems(schema: StructuralSchema, value: unknown, before: unknown): Problem[] {
  const problems = validate(schema, value, '', before);
  const isTwice = ({ type }: Problem) => type === 'Duplicate value';
  if (!problems.some(isTwice) || !validate(schema, before).some(isTwice)) return problems;
  return problems.filter((each) => !isTwice(each));
}

function statusOf(object: ApiObject): unknown {
  return (object as { status?: unknown }).status;
}

function kindErrors(kind: string, object: ApiObject): FieldError[] {
  return object.kind === kind ? [] : [invalid('kind', object.kind, `must be ${kind}`)];
}

function fieldError(problem: Problem): FieldError {
  const field = problem.field === '' ? '<nil>' : problem.field;
  return { reason: reasonOf(problem), field, body: sentence(problem).slice(field.length + 2) };
}
