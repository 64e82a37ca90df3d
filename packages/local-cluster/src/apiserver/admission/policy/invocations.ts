import type { KubeObject } from '@trimtab/kube/wire.ts';
import { labelsMatch } from '../../selector/object-selector.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { matched } from '../match.ts';
import type { ParamRef, Policy, PolicyBinding } from './policy-objects.ts';

/** Policies and bindings of a cluster, and the objects that policies can take as parameters. */
export interface PolicySource<P extends Policy, B extends PolicyBinding> {
  policies(): readonly P[];
  bindings(): readonly B[];
  /** Undefined when the kind is not served. */
  parameters(apiVersion: string, kind: string): Parameters | undefined;
}

/** The objects of a kind of parameters. */
export interface Parameters {
  namespaced: boolean;
  /** In one namespace if the kind is namespaced. */
  all(namespace: string | undefined): Iterable<KubeObject>;
}

/** A policy that matches a request, with one of its bindings and one parameter object. */
export interface Invocation<P, B> {
  policy: P;
  binding: B;
  params: KubeObject | undefined;
  /** In the version that the policy matches. */
  request: AdmissionRequest;
}

/** A policy that matches a request but cannot be evaluated; without a binding if the policy itself is at fault. */
export interface ConfigurationProblem<P, B> {
  policy: P;
  binding: B | undefined;
  problem: string;
}

/** Returns what has to be evaluated for a request: policies in the order of their names, then bindings, then parameters. */
export function invocationsOf<P extends Policy, B extends PolicyBinding>(
  source: PolicySource<P, B>,
  request: AdmissionRequest,
): (Invocation<P, B> | ConfigurationProblem<P, B>)[] {
  const bindings = source.bindings();
  return source.policies().flatMap((policy) => {
    const own = bindings.filter(({ spec }) => spec.policyName === policy.metadata.name);
    if (own.length === 0) return [];
    const question = matched(policy.spec.matchConstraints ?? {}, request);
    return question === undefined ? [] : invocationsOfPolicy(source, policy, own, request, question);
  });
}

function invocationsOfPolicy<P extends Policy, B extends PolicyBinding>(
  source: PolicySource<P, B>,
  policy: P,
  bindings: readonly B[],
  given: AdmissionRequest,
  request: AdmissionRequest,
): (Invocation<P, B> | ConfigurationProblem<P, B>)[] {
  const { paramKind } = policy.spec;
  const parameters = paramKind && source.parameters(paramKind.apiVersion, paramKind.kind);
  if (paramKind !== undefined && parameters === undefined) {
    const problem = `failed to configure policy: failed to find resource referenced by paramKind: '${kindText(paramKind)}'`;
    return [{ policy, binding: undefined, problem }];
  }
  return bindings.flatMap((binding): (Invocation<P, B> | ConfigurationProblem<P, B>)[] => {
    if (matched(binding.spec.matchResources ?? {}, given) === undefined) return [];
    const { paramRef } = binding.spec;
    if (parameters === undefined || paramRef === undefined)
      return [{ policy, binding, request, params: undefined }];
    const found = selected(parameters, paramRef, request.namespace);
    if (typeof found === 'string')
      return [{ policy, binding, problem: `failed to configure binding: ${found}` }];
    return found.map((params) => ({ policy, binding, request, params }));
  });
}

/** `example.com/v1, Kind=Widget` */
function kindText({ apiVersion, kind }: { apiVersion: string; kind: string }): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** Returns the objects that a reference selects, or why it cannot be used. */
function selected(parameters: Parameters, paramRef: ParamRef, home: string): KubeObject[] | string {
  const { name = '', selector = {}, parameterNotFoundAction } = paramRef;
  const named = paramRef.namespace ?? '';
  if (!parameters.namespaced && named !== '')
    return 'paramRef.namespace must not be provided for a cluster-scoped `paramKind`';
  const namespace = named || home;
  if (parameters.namespaced && namespace === '')
    return 'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources';
  const all = [...parameters.all(parameters.namespaced ? namespace : undefined)];
  const found = all.filter(({ metadata }) =>
    name === '' ? labelsMatch(selector, metadata.labels ?? {}) : metadata.name === name,
  );
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    return 'no params found for policy binding with `Deny` parameterNotFoundAction';
  return found;
}
