import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Installation } from '../manifests/installation.ts';
import { podRequests } from '../manifests/pod-policies.ts';
import { type NamespaceSelector, selectsNamespace } from './selects-namespace.ts';

/** An object of the API server, or why it is not known. */
export type Found<T extends KubeObject> = T | 'missing' | 'forbidden';

interface Constraints {
  namespaceSelector?: NamespaceSelector;
  objectSelector?: { matchLabels?: object; matchExpressions?: object[] };
  resourceRules?: { operations?: string[]; resources?: string[] }[];
}

/** A ValidatingAdmissionPolicy or MutatingAdmissionPolicy. */
interface Policy extends KubeObject {
  spec?: { failurePolicy?: string; matchConstraints?: Constraints };
}

interface PolicyBinding extends KubeObject {
  spec?: { policyName?: string; validationActions?: string[]; matchResources?: Constraints };
}

interface WebhookConfiguration extends KubeObject {
  webhooks?: ({ name: string } & Constraints)[];
}

/** The objects that write versions into pods, and the guard of pods. Those of a way that is not in use are undefined. */
export interface FoundPodAdmission {
  guard: Found<Policy>;
  guardBinding: Found<PolicyBinding>;
  policy?: Found<Policy>;
  policyBinding?: Found<PolicyBinding>;
  webhooks?: Found<WebhookConfiguration>;
}

/**
 * Returns why the pods of a namespace do not get the versions that their annotation assigns; undefined when they do. The
 * guard is required, too: without it, a pod that nothing has rewritten quietly runs the live config.
 */
export function podAdmissionProblem(
  found: FoundPodAdmission,
  names: Installation,
  namespace: string,
): string | undefined {
  const name = `${names.prefix}-${podRequests.pods.name}`;
  const { guard, guardBinding, policy, policyBinding, webhooks } = found;
  const unguarded = policyProblem('ValidatingAdmissionPolicy', name, guard, guardBinding, namespace);
  if (unguarded !== undefined) return unguarded;
  const problems = [
    ...(policy === undefined || policyBinding === undefined
      ? []
      : [policyProblem('MutatingAdmissionPolicy', name, policy, policyBinding, namespace)]),
    ...(webhooks === undefined ? [] : [webhookProblem(names, webhooks, namespace)]),
  ];
  return problems.includes(undefined) ? undefined : problems.join('; ');
}

function policyProblem(
  kind: 'ValidatingAdmissionPolicy' | 'MutatingAdmissionPolicy',
  name: string,
  policy: Found<Policy>,
  binding: Found<PolicyBinding>,
  namespace: string,
): string | undefined {
  const [policyText, bindingText] = [`${kind} ${name}`, `${kind}Binding ${name}`];
  if (typeof policy === 'string') return unknownText(policyText, policy);
  if (typeof binding === 'string') return unknownText(bindingText, binding);
  const { failurePolicy = 'Fail', matchConstraints } = policy.spec ?? {};
  const { policyName, validationActions, matchResources } = binding.spec ?? {};
  if (policyName !== name) return `${bindingText} is of another policy`;
  if (kind === 'ValidatingAdmissionPolicy') {
    if (failurePolicy !== 'Fail') return `${policyText} has failurePolicy ${failurePolicy}`;
    if (!validationActions?.includes('Deny')) return `${bindingText} does not deny`;
  }
  if (!matchesPods(matchConstraints)) return `${policyText} does not match the creation of pods`;
  return (
    selectionProblem(policyText, matchConstraints, namespace) ??
    selectionProblem(bindingText, matchResources, namespace)
  );
}

function webhookProblem(
  { webhookConfiguration, webhooks: { podReferences } }: Installation,
  configuration: Found<WebhookConfiguration>,
  namespace: string,
): string | undefined {
  const text = `MutatingWebhookConfiguration ${webhookConfiguration}`;
  if (typeof configuration === 'string') return unknownText(text, configuration);
  const webhook = configuration.webhooks?.find(({ name }) => name === podReferences);
  if (webhook === undefined) return `${text} has no webhook ${podReferences}`;
  return selectionProblem(`webhook ${podReferences} of ${text}`, webhook, namespace);
}

function unknownText(what: string, why: 'missing' | 'forbidden'): string {
  return why === 'missing' ? `${what} does not exist` : `the controller may not read ${what}`;
}

function matchesPods(constraints: Constraints | undefined): boolean {
  const { operation, resource } = podRequests.pods;
  const includes = (list: string[] | undefined, item: string) =>
    list?.some((each) => each === item || each === '*') ?? false;
  return (
    constraints?.resourceRules?.some(
      ({ operations, resources }) => includes(operations, operation) && includes(resources, resource),
    ) ?? false
  );
}

function selectionProblem(
  what: string,
  constraints: Constraints | undefined,
  namespace: string,
): string | undefined {
  const { matchLabels = {}, matchExpressions = [] } = constraints?.objectSelector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length > 0)
    return `${what} does not select all pods`;
  return selectsNamespace(constraints?.namespaceSelector, namespace)
    ? undefined
    : `${what} does not select namespace ${namespace}`;
}
