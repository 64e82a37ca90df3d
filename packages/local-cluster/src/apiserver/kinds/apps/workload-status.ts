import { type FieldError, invalid } from '../../errors/field-error.ts';
import type { ApiObject } from '../../object.ts';
import { notNegative } from '../core/pod-validation.ts';

type Counts = Record<string, number | undefined>;

interface StatusRule {
  /** In the order in which Kubernetes validates them. */
  counts: readonly string[];
  /** Counts that must not exceed `replicas`. */
  parts: readonly string[];
  /** Name of readyReplicas in messages; set when availableReplicas must not exceed it. */
  ready?: string;
}

export const replicaSetStatus: StatusRule = {
  counts: [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ready: 'readyReplicas',
};

export const replicationControllerStatus: StatusRule = {
  counts: ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  ready: 'readyReplicas',
};

export const deploymentStatus: StatusRule = {
  counts: [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  ready: 'readyReplicas',
};

export const statefulSetStatus: StatusRule = {
  counts: [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  ready: 'status.readyReplicas',
};

export const daemonSetStatus: StatusRule = {
  counts: [
    'currentNumberScheduled',
    'numberMisscheduled',
    'desiredNumberScheduled',
    'numberReady',
    'observedGeneration',
    'updatedNumberScheduled',
    'numberAvailable',
    'numberUnavailable',
    'collisionCount',
  ],
  parts: [],
};

/** Validates the counts that a controller reports in the status of its workload. */
export function validateWorkloadStatus(object: ApiObject, old: ApiObject, rule: StatusRule): FieldError[] {
  const status = countsOf(object);
  const count = (key: string) => status[key] ?? 0;
  const errors = rule.counts
    .filter((key) => count(key) < 0)
    .map((key) => invalid(`status.${key}`, count(key), notNegative));
  for (const key of rule.parts)
    if (count(key) > count('replicas'))
      errors.push(invalid(`status.${key}`, count(key), 'cannot be greater than status.replicas'));
  const { availableReplicas = 0, readyReplicas = 0, collisionCount } = status;
  if (rule.ready !== undefined && availableReplicas > readyReplicas)
    errors.push(
      invalid('status.availableReplicas', availableReplicas, `cannot be greater than ${rule.ready}`),
    );
  const before = countsOf(old)['collisionCount'];
  if (before !== undefined && (collisionCount === undefined || collisionCount < before))
    errors.push(invalid('status.collisionCount', collisionCount ?? 0, 'cannot be decremented'));
  return errors;
}

function countsOf(object: ApiObject): Counts {
  return (object as ApiObject & { status?: Counts }).status ?? {};
}
