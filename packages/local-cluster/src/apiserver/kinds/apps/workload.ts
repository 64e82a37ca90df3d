import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../../meta/names.ts';
import { immutable, validateLabels } from '../../meta/validate-meta.ts';
import type { ApiObject } from '../../object.ts';
import type { LabelSelector } from '../../selector/object-selector.ts';
import { defaultPodSpec } from '../core/pod-defaults.ts';
import { validateTemplate } from '../core/pod-template.ts';
import type { PodTemplate } from '../core/pod-types.ts';
import { notNegative } from '../core/pod-validation.ts';
import { podWarnings } from '../core/pod-warnings.ts';

export interface WorkloadSpec {
  replicas?: number;
  selector?: LabelSelector | null;
  template: PodTemplate;
  minReadySeconds?: number;
  revisionHistoryLimit?: number;
}

export interface Workload extends ApiObject {
  spec: WorkloadSpec;
}

export const workloadName = dnsSubdomain;

export function defaultTemplate({ spec }: Workload): void {
  defaultPodSpec(spec.template.spec);
}

export function templateWarnings({ spec }: Workload): string[] {
  return podWarnings(spec.template.spec, 'spec.template.spec');
}

/** A new object whose pods get names that are not DNS labels. */
export function podNameWarnings({ metadata }: ApiObject, old?: ApiObject): string[] {
  const problems = old === undefined ? dnsLabel(metadata.name ?? '') : [];
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Validation that Deployments, ReplicaSets, StatefulSets and DaemonSets have in common. */
export function validateWorkload({ spec }: Workload): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.replicas !== undefined && spec.replicas < 0)
    errors.push(invalid('spec.replicas', spec.replicas, notNegative));
  errors.push(...validateSelector(spec));
  const { template } = spec;
  errors.push(...validateTemplate(template, 'spec.template'));
  if (template.spec.restartPolicy !== 'Always' && (template.spec.containers ?? []).length > 0)
    errors.push(
      notSupported('spec.template.spec.restartPolicy', template.spec.restartPolicy ?? '', ['Always']),
    );
  return errors;
}

/** Separate from validateWorkload, as Kubernetes checks these fields after those that are specific to the kind. */
export function validateLimits({ spec }: Workload): FieldError[] {
  return (['minReadySeconds', 'revisionHistoryLimit'] as const).flatMap((key) => {
    const value = spec[key] ?? 0;
    return value < 0 ? [invalid(`spec.${key}`, value, notNegative)] : [];
  });
}

function validateSelector({ selector, template }: WorkloadSpec): FieldError[] {
  if (selector === undefined || selector === null) return [required('spec.selector'), mismatchOf(template)];
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.keys(matchLabels).length + matchExpressions.length === 0)
    return [invalid('spec.selector', selector, 'empty selector is invalid for deployment')];
  const errors = [
    ...validateLabels(matchLabels, 'spec.selector.matchLabels'),
    ...matchExpressions.flatMap(({ key, values = [] }, index) => [
      ...qualifiedName(key).map((each) => invalid(`spec.selector.matchExpressions[${index}].key`, key, each)),
      ...values.flatMap((value) =>
        labelValue(value).map((each) =>
          invalid(`spec.selector.matchExpressions[${index}].values`, value, each),
        ),
      ),
    ]),
  ];
  if (errors.length === 0 && !selects(selector, template.metadata?.labels ?? {}))
    errors.push(mismatchOf(template));
  return errors;
}

function mismatchOf({ metadata }: PodTemplate): FieldError {
  return invalid(
    'spec.template.metadata.labels',
    metadata?.labels ?? null,
    '`selector` does not match template `labels`',
  );
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Record<string, string>,
): boolean {
  const has = (key: string) => Object.hasOwn(labels, key);
  return (
    Object.entries(matchLabels).every(([key, value]) => has(key) && labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === 'Exists') return has(key);
      if (operator === 'DoesNotExist') return !has(key);
      const isIn = has(key) && values.includes(labels[key] ?? '');
      return operator === 'In' ? isIn : !isIn;
    })
  );
}

export function selectorIsImmutable(object: Workload, old: Workload): FieldError[] {
  return immutable(object.spec.selector, old.spec.selector, 'spec.selector');
}

/** Validates a number or a percentage of all replicas. */
export function validateAmount(
  value: number | string | undefined,
  path: string,
  options: { atMostAll?: boolean } = {},
): FieldError[] {
  if (typeof value === 'string' && !/^[0-9]+%$/.test(value))
    return [
      invalid(
        path,
        value,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      ),
    ];
  if (typeof value === 'string' && options.atMostAll && Number(value.slice(0, -1)) > 100)
    return [invalid(path, value, 'must not be greater than 100%')];
  return typeof value === 'number' && value < 0 ? [invalid(path, value, notNegative)] : [];
}

export const isNothing = (value: number | string | undefined) => value === 0 || value === '0%';
