import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { Answer } from './http.ts';
import { configMap } from './objects.ts';
import { configMapRules } from './policy-objects.ts';
import type { Refusal } from './statuses.ts';
import type { Target } from './target.ts';
import { groupOf } from './widgets.ts';

const admission = 'admissionregistration.k8s.io/v1';

export const mutatingPolicies = `/apis/${admission}/mutatingadmissionpolicies`;

export const mutatingBindings = `/apis/${admission}/mutatingadmissionpolicybindings`;

export interface MutatingPolicy {
  spec: { mutations: object[]; paramKind?: object; [field: string]: unknown };
  binding?: { paramRef?: object; [field: string]: unknown };
}

/** Mutations by JSON patches. */
export const patches = (...expressions: string[]) =>
  expressions.map((expression) => ({ patchType: 'JSONPatch', jsonPatch: { expression } }));

/** Mutations that apply a configuration. */
export const applies = (...expressions: string[]) =>
  expressions.map((expression) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }));

/** A mutation that adds text to the annotation `log`, to see which mutations ran, and in which order. */
export const logs = (...texts: string[]) =>
  patches(
    ...texts.map(
      (text) =>
        `[JSONPatch{op: 'add', path: '/metadata/annotations/log', value: object.metadata.annotations.log + '${text} '}]`,
    ),
  );

interface Spec {
  paramKind?: object;
  matchConstraints?: object | undefined;
  [field: string]: unknown;
}

const here = ({ namespace }: Target) => ({ matchLabels: { 'kubernetes.io/metadata.name': namespace } });

/**
 * A policy for the namespace of the area only, unless it selects namespaces itself: a policy whose kind of parameters is
 * not known yet denies all that it matches, whatever its bindings are.
 */
export function mutatingPolicy(target: Target, name: string, { paramKind, ...spec }: Spec) {
  const params =
    paramKind === undefined ? {} : { paramKind: { apiVersion: `${groupOf(target)}/v1`, ...paramKind } };
  const { matchConstraints = { resourceRules: configMapRules('CREATE', 'UPDATE') } } = spec;
  const isUnmatched = 'matchConstraints' in spec && spec.matchConstraints === undefined;
  return {
    apiVersion: admission,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      ...params,
      ...spec,
      ...(isUnmatched ? {} : { matchConstraints: { namespaceSelector: here(target), ...matchConstraints } }),
    },
  };
}

export function mutatingBinding(target: Target, name: string, more: object = {}) {
  return {
    apiVersion: admission,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: `${target.namespace}-${name}` },
    spec: {
      policyName: `${target.namespace}-${name}`,
      matchResources: {
        namespaceSelector: here(target),
        objectSelector: { matchLabels: { policy: name } },
      },
      ...more,
    },
  };
}

/** A ConfigMap that the policy with this name mutates, as its label `policy` has this name. */
export const under = (policy: string, name: string, more: object = {}, annotations: object = { log: '' }) =>
  configMap({ name, labels: { policy }, annotations }, more);

/** Creates policies with bindings. The last one is a probe: when it is in force, all are. */
export async function installMutatingPolicies(target: Target, policies: Record<string, MutatingPolicy>) {
  const { api, core } = target;
  const probe = { spec: { mutations: logs('probed') } };
  for (const [name, { spec, binding: more }] of Object.entries<MutatingPolicy>({ ...policies, probe })) {
    await target.createForAll(mutatingPolicies, mutatingPolicy(target, name, spec));
    const ref = more?.paramRef;
    await target.createForAll(
      mutatingBindings,
      mutatingBinding(target, name, {
        ...more,
        ...(ref === undefined ? {} : { paramRef: { namespace: target.namespace, ...ref } }),
      }),
    );
  }
  await waitFor('the mutating policies are in force', async () => {
    const { body } = await api.post(core('configmaps'), under('probe', 'probe'), {
      query: { dryRun: 'All' },
    });
    return body.metadata.annotations?.['log'] === 'probed ' ? { met: true } : { seen: JSON.stringify(body) };
  });
}

/** The expected denial by policies, whose bindings have the same names. */
export function deniedBy(
  object: { resource: string; name: string },
  reason: 'Invalid' | 'Forbidden',
  ...causes: [policy: string, why: string][]
): Refusal {
  const messages = causes.map(
    ([name, why]) => `policy 'NAMESPACE-${name}' with binding 'NAMESPACE-${name}' denied request: ${why}`,
  );
  const [kind, ...group] = object.resource.split('.');
  return {
    code: 403,
    reason,
    message: messages[0] ?? '',
    details: {
      name: object.name,
      ...(group.length === 0 ? {} : { group: group.join('.') }),
      kind,
      causes: messages.map((message) => ({ message })),
    },
  };
}

export const logOf = ({ body }: Answer) => body.metadata.annotations?.['log'];
