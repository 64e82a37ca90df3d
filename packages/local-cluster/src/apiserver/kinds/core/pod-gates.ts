import { timestamp } from '../../../objects/timestamp.ts';
import { type FieldError, forbiddenField, invalid } from '../../errors/field-error.ts';
import { equal } from '../../object.ts';
import type { Pod, PodSpec } from './pod-types.ts';

export function isGated({ schedulingGates = [] }: PodSpec): boolean {
  return schedulingGates.length > 0;
}

/** What a pod says that waits for somebody to open its gates. */
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

/** Gates open one by one, and never close; as long as one is closed, where the pod may go can be narrowed. */
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

/** The fields that a pod behind gates may still change; of one without, none. */
export function withoutGated(spec: PodSpec, old: PodSpec): PodSpec {
  const { schedulingGates: _gates, ...rest } = spec;
  if (!isGated(old)) return rest;
  const { nodeSelector: _selector, affinity, ...fixed } = rest;
  const { nodeAffinity: _node, ...others } = affinity ?? {};
  return { ...fixed, ...(!equal(others, {}) && { affinity: others }) };
}
