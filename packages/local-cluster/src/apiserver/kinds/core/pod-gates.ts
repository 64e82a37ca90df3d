import { timestamp } from '../../../objects/timestamp.ts';
import { type FieldError, forbiddenField, invalid } from '../../errors/field-error.ts';
import { equal } from '../../object.ts';
import type { Pod, PodSpec } from './pod-types.ts';

export function isGated({ schedulingGates = [] }: PodSpec): boolean {
  return schedulingGates.length > 0;
}

/** Condition of a pod with scheduling gates. */
export function gatedCondition(now: number) {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

/** Scheduling gates can be removed, but not added. While a pod has gates, its nodeSelector can be narrowed. */
export function gateErrors({ spec }: Pod, { spec: old }: Pod): FieldError[] {
  const known = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const errors = (spec.schedulingGates ?? []).flatMap(({ name }, index) =>
    known.has(name)
      ? []
      : [
          forbiddenField(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  );
  if (!isGated(old)) return errors;
  const kept = Object.entries(old.nodeSelector ?? {}).every(
    ([key, value]) => spec.nodeSelector?.[key] === value,
  );
  if (!kept)
    errors.push(
      invalid(
        'spec.nodeSelector',
        spec.nodeSelector,
        'only additions to spec.nodeSelector are allowed (no mutations or deletions)',
      ),
    );
  return errors;
}

/** Returns the spec without the fields that may change: gates, and for a gated pod nodeSelector and node affinity. */
export function withoutGated(spec: PodSpec, old: PodSpec): PodSpec {
  const { schedulingGates: _gates, ...rest } = spec;
  if (!isGated(old)) return rest;
  const { nodeSelector: _selector, affinity, ...fixed } = rest;
  const { nodeAffinity: _node, ...others } = affinity ?? {};
  return { ...fixed, ...(!equal(others, {}) && { affinity: others }) };
}
