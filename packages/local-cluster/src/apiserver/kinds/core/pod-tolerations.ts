import { type FieldError, forbiddenField, invalid, notSupported } from '../../errors/field-error.ts';
import { labelValue, qualifiedName } from '../../meta/names.ts';
import { equal } from '../../object.ts';
import type { Toleration } from './pod-types.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

export function validateTolerations(tolerations: readonly Toleration[], path: string): FieldError[] {
  return tolerations.flatMap((toleration, index) => validateToleration(toleration, `${path}[${index}]`));
}

function validateToleration(toleration: Toleration, path: string): FieldError[] {
  const { key = '', operator = '', effect = '', tolerationSeconds } = toleration;
  const errors: FieldError[] = [];
  if (key !== '') errors.push(...qualifiedName(key).map((each) => invalid(`${path}.key`, key, each)));
  else if (operator !== 'Exists')
    errors.push(
      invalid(
        `${path}.operator`,
        operator,
        'operator must be Exists when `key` is empty, which means "match all values and all keys"',
      ),
    );
  if (tolerationSeconds !== undefined && effect !== 'NoExecute')
    errors.push(
      invalid(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    );
  errors.push(...validateOperator(toleration, `${path}.operator`));
  if (effect !== '' && !effects.includes(effect))
    errors.push(notSupported(`${path}.effect`, effect, effects));
  return errors;
}

function validateOperator({ operator = '', value = '' }: Toleration, path: string): FieldError[] {
  switch (operator) {
    case '':
    case 'Equal': {
      const problems = labelValue(value);
      return problems.length === 0 ? [] : [invalid(path, value, problems.join(';'))];
    }
    case 'Exists':
      return value === '' ? [] : [invalid(path, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(path, operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(path, operator, ['Equal', 'Exists'])];
  }
}

/** An update of a pod can add tolerations and change tolerationSeconds, but not remove tolerations. */
export function tolerationsOnlyGrow(
  now: readonly Toleration[],
  before: readonly Toleration[],
  path: string,
): FieldError[] {
  const withoutTime = ({ tolerationSeconds: _seconds, ...rest }: Toleration) => rest;
  const isKept = (old: Toleration) => now.some((each) => equal(withoutTime(each), withoutTime(old)));
  if (before.every(isKept)) return [];
  return [forbiddenField(path, 'existing toleration can not be modified except its tolerationSeconds')];
}
