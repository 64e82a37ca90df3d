import { type FieldError, forbiddenField, invalid } from '../../errors/field-error.ts';
import { dnsSubdomain } from '../../meta/names.ts';
import { clone, equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';
import {
  allButEphemeralContainers,
  keepAllButEphemeralContainers,
  validateEphemeralContainersUpdate,
} from './ephemeral-containers.ts';
import { defaultPodSpec, defaultRequests } from './pod-defaults.ts';
import { gatedCondition, gateErrors, isGated, withoutGated } from './pod-gates.ts';
import { podSummary, qosClass } from './pod-status.ts';
import { tolerationsOnlyGrow } from './pod-tolerations.ts';
import type { Pod, PodSpec } from './pod-types.ts';
import { validatePodSpec } from './pod-validation.ts';
import { podWarnings } from './pod-warnings.ts';

export const pod = defineKind<Pod>({
  group: '',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  storageVersionHash: 'xPOwRZ+Yhw8=',
  definition: 'io.k8s.api.core.v1.Pod',
  hasGeneration: true,
  hasStatus: true,
  returnsDeleted: true,
  otherSubresources: [
    { name: 'attach', kind: 'PodAttachOptions', verbs: ['create', 'get'] },
    { name: 'binding', kind: 'Binding', verbs: ['create'] },
    { name: 'ephemeralcontainers', kind: 'Pod', verbs: ['get', 'patch', 'update'] },
    { name: 'exec', kind: 'PodExecOptions', verbs: ['create', 'get'] },
    { name: 'log', kind: 'Pod', verbs: ['get'] },
    { name: 'portforward', kind: 'PodPortForwardOptions', verbs: ['create', 'get'] },
  ],
  strategy: {
    nameRule: dnsSubdomain,
    defaults({ spec }) {
      defaultPodSpec(spec);
      defaultRequests(spec);
      spec.enableServiceLinks ??= true;
    },
    prepareForCreate(object, { now }) {
      const { spec } = object;
      if ((spec.terminationGracePeriodSeconds ?? 0) < 0) spec.terminationGracePeriodSeconds = 1;
      const conditions = isGated(spec) && !spec.nodeName ? { conditions: [gatedCondition(now)] } : {};
      object.status = { phase: 'Pending', qosClass: qosClass(spec), ...conditions };
    },
    prepareForStatusUpdate({ status }) {
      // podIP and podIPs[0] are the same address; podIPs is the newer field and takes precedence.
      const [first] = status.podIPs ?? [];
      if (first !== undefined) status.podIP = first.ip;
      else if (status.podIP) status.podIPs = [{ ip: status.podIP }];
    },
    validate: ({ spec }) => [
      ...validatePodSpec(spec, 'spec'),
      ...((spec.ephemeralContainers ?? []).length > 0
        ? [forbiddenField('spec.ephemeralContainers', 'cannot be set on create')]
        : []),
      ...imageErrors(spec),
    ],
    validateUpdate,
    subresources: {
      ephemeralcontainers: {
        prepareForUpdate: keepAllButEphemeralContainers,
        validateUpdate: validateEphemeralContainersUpdate,
        ignoredFields: allButEphemeralContainers,
      },
    },
    // Updates of pods come from controllers, which do not read warnings, so only creates have them.
    warnings: ({ spec }, old) => (old === undefined ? podWarnings(spec, 'spec') : []),
    gracePeriodSeconds({ spec, status }, asked) {
      // No kubelet runs the pod, so there is nothing to stop.
      if (!spec.nodeName || ['Succeeded', 'Failed'].includes(status.phase ?? '')) return 0;
      return asked ?? Math.max(1, spec.terminationGracePeriodSeconds ?? 30);
    },
  },
  columns: [
    nameColumn,
    { name: 'Ready', value: (object, now) => podSummary(object, now).ready },
    { name: 'Status', value: (object, now) => podSummary(object, now).status },
    { name: 'Restarts', value: (object, now) => podSummary(object, now).restarts },
    ageColumn,
    { name: 'IP', priority: 1, value: ({ status }) => status.podIPs?.[0]?.ip ?? (status.podIP || '<none>') },
    { name: 'Node', priority: 1, value: ({ spec }) => spec.nodeName || '<none>' },
    { name: 'Nominated Node', priority: 1, value: ({ status }) => status.nominatedNodeName || '<none>' },
    { name: 'Readiness Gates', priority: 1, value: gatesText },
  ],
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.restartPolicy': ({ spec }) => spec.restartPolicy ?? '',
    'spec.schedulerName': ({ spec }) => spec.schedulerName ?? '',
    'spec.serviceAccountName': ({ spec }) => spec.serviceAccountName ?? '',
    'spec.hostNetwork': ({ spec }) => String(spec.hostNetwork ?? false),
    'status.phase': ({ status }) => status.phase ?? '',
    'status.podIP': ({ status }) => status.podIPs?.[0]?.ip ?? '',
    'status.nominatedNodeName': ({ status }) => status.nominatedNodeName ?? '',
  },
});

/** Templates may have such images; a pod with one could never run. */
function imageErrors({ containers }: PodSpec): FieldError[] {
  return (containers ?? []).flatMap(({ image = '' }, index) =>
    image === image.trim()
      ? []
      : [invalid(`spec.containers[${index}].image`, image, 'must not have leading or trailing whitespace')],
  );
}

const immutableSpec =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

function validateUpdate(object: Pod, old: Pod): FieldError[] {
  const { activeDeadlineSeconds: deadline, tolerations = [] } = object.spec;
  const before = old.spec.activeDeadlineSeconds;
  const errors = [...validatePodSpec(object.spec, 'spec'), ...gateErrors(object, old)];
  if (before !== undefined && (deadline === undefined || deadline > before))
    errors.push(
      invalid(
        'spec.activeDeadlineSeconds',
        deadline ?? null,
        deadline === undefined
          ? 'must not update from a positive integer to nil value'
          : 'must be less than or equal to previous value',
      ),
    );
  errors.push(...tolerationsOnlyGrow(tolerations, old.spec.tolerations ?? [], 'spec.tolerations'));
  const fixed = (spec: PodSpec) => fixedPart(withoutGated(spec, old.spec));
  if (!equal(fixed(object.spec), fixed(old.spec))) errors.push(forbiddenField('spec', immutableSpec));
  return errors;
}

function fixedPart(spec: PodSpec): unknown {
  const { activeDeadlineSeconds: _deadline, tolerations: _tolerations, ...rest } = clone(spec);
  for (const container of [...(rest.containers ?? []), ...(rest.initContainers ?? [])])
    delete container.image;
  return rest;
}

function gatesText({ spec, status }: Pod): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) =>
    status.conditions?.some(({ type, status: is }) => type === conditionType && is === 'True'),
  );
  return `${open.length}/${gates.length}`;
}
