import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { Authorise } from '../../cel/authorizer.ts';
import { StatusError } from '../../errors/status-error.ts';
import { type ApiObject, clone, equal, overwrite } from '../../object.ts';
import type { ObjectStorage } from '../../storage/object-storage.ts';
import { type AdmissionPlugin, type Attributes, nameInRefusals } from '../admission.ts';
import { admissionRequestOf, isExempt } from '../request-of.ts';
import { conditionsHold } from './conditions.ts';
import {
  type ConfigurationProblem,
  type Invocation,
  invocationsOf,
  type PolicySource,
} from './invocations.ts';
import { MutationProblem, mutated } from './mutate.ts';
import type { MutatingAdmissionPolicy, PolicyBinding } from './policy-objects.ts';
import { scopeOf } from './scope.ts';
import { withVariables } from './variables.ts';

export type MutatingPolicySource = PolicySource<MutatingAdmissionPolicy, PolicyBinding>;
type Call = Invocation<MutatingAdmissionPolicy, PolicyBinding>;
type Problem = ConfigurationProblem<MutatingAdmissionPolicy, PolicyBinding> & { isInvalid?: true };

/**
 * Evaluates the MutatingAdmissionPolicies of the cluster for every create and update, each mutation with the result of the
 * one before. When a mutation was applied, all mutating plugins run a second time; so do the policies with
 * reinvocationPolicy IfNeeded.
 */
export function mutatingPolicies(
  source: MutatingPolicySource,
  storage: ObjectStorage,
  authorise: Authorise,
): AdmissionPlugin {
  return {
    name: 'MutatingAdmissionPolicy',
    mutate(attributes, secondPass) {
      const { operation, object, as } = attributes;
      if (source.bindings().length === 0 || isExempt(attributes)) return;
      // A deletion has no object. Objects of subresources with a kind of their own, such as Scales, are never changed.
      if (operation === 'DELETE' || object === undefined || as !== undefined) return;
      const rounds = new Rounds((mayCall) => round(source, attributes, object, storage, authorise, mayCall));
      if (rounds.first()) secondPass.require();
      const output = clone(object);
      secondPass.instead(async () => rounds.second(!equal(output, object)));
    },
  };
}

interface Round {
  /** Policies with reinvocationPolicy IfNeeded that were evaluated, in this order. */
  evaluated: string[];
  /** Whether a mutation was applied, even if it changed nothing. */
  isMutated: boolean;
}

/** The evaluations of one request. The second round has only policies whose input can have changed since the first one. */
class Rounds {
  readonly #round: (mayCall: (key: string) => boolean) => Round;
  #first: Round = { evaluated: [], isMutated: false };

  constructor(run: (mayCall: (key: string) => boolean) => Round) {
    this.#round = run;
  }

  /** Returns whether a mutation was applied. */
  first(): boolean {
    this.#first = this.#round(() => true);
    return this.#first.isMutated;
  }

  second(hasChanged: boolean): void {
    const { evaluated, isMutated } = this.#first;
    const again = new Set(hasChanged || isMutated ? evaluated : []);
    this.#round((key) => again.has(key));
  }
}

/** Evaluates all policies that match. Throws a StatusError when one that must not fail has failed. */
function round(
  source: MutatingPolicySource,
  attributes: Attributes,
  object: ApiObject,
  storage: ObjectStorage,
  authorise: Authorise,
  mayCall: (key: string) => boolean,
): Round {
  const problems: Problem[] = [];
  const result: Round = { evaluated: [], isMutated: false };
  for (const each of invocationsOf(source, admissionRequestOf(attributes, storage))) {
    if ('problem' in each) {
      problems.push(each);
      continue;
    }
    const call = { ...each, request: { ...each.request, object: shownIn(each, object) } };
    const { policy, binding } = call;
    const conditions = meetsConditions(call, authorise);
    if (typeof conditions === 'string')
      problems.push({ policy, binding, problem: conditions, isInvalid: true });
    const key = keyOf(each);
    if (conditions !== true || !mayCall(key)) continue;
    const found = mutateAll(call, attributes, object, authorise);
    problems.push(...found.problems);
    if (found.isMutated) result.isMutated = true;
    if (policy.spec.reinvocationPolicy === 'IfNeeded') result.evaluated.push(key);
  }
  refuse(attributes, problems);
  return result;
}

/** Returns an error if a condition cannot be evaluated. */
function meetsConditions({ policy, params, request }: Call, authorise: Authorise): boolean | string {
  const { matchConditions = [] } = policy.spec;
  if (matchConditions.length === 0) return true;
  return conditionsHold(matchConditions, scopeOf(request, params, authorise));
}

/** Applies the mutations of one policy. A mutation that fails does not keep the next ones from being applied. */
function mutateAll(
  call: Call,
  { kind }: Attributes,
  object: ApiObject,
  authorise: Authorise,
): { problems: Problem[]; isMutated: boolean } {
  const { policy, binding, params } = call;
  const problems: Problem[] = [];
  let isMutated = false;
  for (const mutation of policy.spec.mutations ?? []) {
    const request = { ...call.request, object: shownIn(call, object) };
    const scope = withVariables(policy.spec.variables ?? [], scopeOf(request, params, authorise));
    try {
      overwrite(object, mutated(mutation, kind, object, scope));
      isMutated = true;
    } catch (error) {
      if (!(error instanceof MutationProblem)) throw error;
      problems.push({ policy, binding, problem: error.message, isInvalid: true });
    }
  }
  return { problems, isMutated };
}

/** The current object, in the version that the policy matches. */
function shownIn({ request }: Call, object: ApiObject): KubeObject {
  const { apiVersion = object.apiVersion } = (request.object ?? {}) as Partial<ApiObject>;
  return { ...object, apiVersion } as KubeObject;
}

function keyOf({ policy, binding, params }: Call): string {
  const { namespace = '', name = '' } = params?.metadata ?? {};
  return JSON.stringify([policy.metadata.name, binding.metadata.name, namespace, name]);
}

/** Refuses the request for all problems of policies with failurePolicy Fail. The code is always 403, as in Kubernetes. */
function refuse(attributes: Attributes, all: readonly Problem[]): void {
  const problems = all.filter(({ policy }) => policy.spec.failurePolicy !== 'Ignore');
  const [first] = problems;
  if (first === undefined) return;
  const { kind } = attributes;
  const name = nameInRefusals(attributes);
  const messages = problems.map(messageOf);
  throw new StatusError(403, first.isInvalid ? 'Invalid' : 'Forbidden', messages[0] ?? '', {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    kind: kind.plural,
    causes: messages.map((message) => ({ message })),
  });
}

function messageOf({ policy, binding, problem }: Problem): string {
  const { name = '' } = policy.metadata;
  const by =
    binding === undefined
      ? `policy ${JSON.stringify(name)}`
      : `policy '${name}' with binding '${binding.metadata.name}'`;
  return `${by} denied request: ${problem}`;
}
