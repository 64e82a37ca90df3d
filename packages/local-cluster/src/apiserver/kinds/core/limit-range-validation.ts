import { duplicate, type FieldError, forbiddenField, invalid, required } from '../../errors/field-error.ts';
import { qualifiedName } from '../../meta/names.ts';
import { quantityUnits } from '../../schema/quantity.ts';
import { compareQuantities } from '../../schema/quantity-sums.ts';
import type { Limit } from './limit-range.ts';
import { containerResourceErrors, isOvercommitAllowed, resourceNameErrors } from './resource-names.ts';

const types = ['Pod', 'Container', 'PersistentVolumeClaim'];
const parts = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export function validateLimits(limits: readonly Limit[]): FieldError[] {
  return limits.flatMap((limit, index) => {
    const path = `spec.limits[${index}]`;
    const isSecond = limits.slice(0, index).some(({ type }) => type === limit.type);
    return [
      ...typeErrors(limit.type, `${path}.type`),
      ...(isSecond ? [duplicate(`${path}.type`, limit.type)] : []),
      ...parts.flatMap((part) => partErrors(limit, part, path)),
      ...namesOf(limit).flatMap((name) => amountErrors(limit, name, path)),
    ];
  });
}

function typeErrors(type: string, path: string): FieldError[] {
  const problems = qualifiedName(type);
  if (problems.length === 0 && !type.includes('/') && !types.includes(type))
    problems.push('must be a standard limit type or fully qualified');
  return problems.map((each) => invalid(path, type, each));
}

function partErrors(limit: Limit, part: (typeof parts)[number], path: string): FieldError[] {
  const names = Object.keys(limit[part] ?? {});
  if (part.startsWith('default') && limit.type === 'Pod')
    return names.length === 0
      ? []
      : [forbiddenField(`${path}.${part}`, "may not be specified when `type` is 'Pod'")];
  const isStorage = limit.type === 'PersistentVolumeClaim';
  const errorsOf = ['Pod', 'Container'].includes(limit.type) ? containerResourceErrors : resourceNameErrors;
  const errors = names.flatMap((name) => errorsOf(name, `${path}.${part}[${name}]`));
  const saysStorage = limit.min?.['storage'] !== undefined || limit.max?.['storage'] !== undefined;
  if (part === 'defaultRequest' && isStorage && !saysStorage)
    errors.push(
      required(
        `${path}.limits`,
        'either minimum or maximum storage value is required, but neither was provided',
      ),
    );
  return errors;
}

function namesOf(limit: Limit): string[] {
  const counted = parts.filter((part) => limit.type !== 'Pod' || !part.startsWith('default'));
  return [...new Set(counted.flatMap((part) => Object.keys(limit[part] ?? {})))];
}

/** Checks that the limits of one resource are consistent with each other. */
function amountErrors(limit: Limit, name: string, path: string): FieldError[] {
  const isPod = limit.type === 'Pod';
  const least = limit.min?.[name];
  const most = limit.max?.[name];
  const usual = isPod ? undefined : limit.default?.[name];
  const request = isPod ? undefined : limit.defaultRequest?.[name];
  const errors: FieldError[] = [];
  /** Kubernetes' message does not always show the value of the field that it names; `shown` selects the value. */
  const check = (
    part: string,
    [low, lowName]: readonly [string | undefined, string],
    [high, highName]: readonly [string | undefined, string],
    shown: 'low' | 'high',
  ) => {
    if (low === undefined || high === undefined || compareQuantities(low, high) <= 0) return;
    const value = shown === 'low' ? low : high;
    errors.push(
      invalid(
        `${path}.${part}[${name}]`,
        value,
        `${lowName} value ${low} is greater than ${highName} value ${high}`,
      ),
    );
  };
  check('min', [least, 'min'], [most, 'max'], 'low');
  check('defaultRequest', [least, 'min'], [request, 'default request'], 'high');
  check('defaultRequest', [request, 'default request'], [most, 'max'], 'low');
  check('defaultRequest', [request, 'default request'], [usual, 'default limit'], 'low');
  check('default', [least, 'min'], [usual, 'default'], 'low');
  check('default', [usual, 'default'], [most, 'max'], 'high');
  errors.push(
    ...ratioErrors(limit.maxLimitRequestRatio?.[name], least, most, `${path}.maxLimitRequestRatio[${name}]`),
  );
  if (
    !isOvercommitAllowed(name) &&
    usual !== undefined &&
    request !== undefined &&
    compareQuantities(usual, request) !== 0
  )
    errors.push(
      invalid(
        `${path}.defaultRequest[${name}]`,
        request,
        `default value ${usual} must equal to defaultRequest value ${request} in ${name}`,
      ),
    );
  return errors;
}

function ratioErrors(
  ratio: string | undefined,
  least: string | undefined,
  most: string | undefined,
  path: string,
): FieldError[] {
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(ratio, '1') < 0) errors.push(invalid(path, ratio, `ratio ${ratio} is less than 1`));
  if (least === undefined || most === undefined) return errors;
  const bound = thousandths(most) / thousandths(least);
  if (thousandths(ratio) / 1000 > bound)
    errors.push(invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${bound.toFixed(6)}`));
  return errors;
}

function thousandths(amount: string): number {
  return Number(quantityUnits(amount, 3) ?? 0n);
}
