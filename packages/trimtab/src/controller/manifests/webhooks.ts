import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { cel } from './guard.ts';
import { webhookPaths } from './installation.ts';
import { needsRewrite, podRequests } from './pod-policies.ts';

/** The parts in which the webhooks differ. */
export interface Webhook {
  name: string;
  path: string;
  sideEffects: 'None' | 'NoneOnDryRun';
  reinvocationPolicy?: 'IfNeeded';
  resources: { group: string; version: string; plurals: string[] };
  matchConditions: { name: string; expression: string }[];
  /** What the API server does when the webhook does not answer. */
  failurePolicy: 'Ignore' | 'Fail';
  operations: readonly ('CREATE' | 'UPDATE')[];
}

const writes = ['CREATE', 'UPDATE'] as const;

/** Records the user who sets `spec.version`. API servers call this webhook for such changes only. */
export function rolloutWebhook(name: string, controllerUser: string): Webhook {
  const { group, version, plural } = configRollouts;
  const named = (object: string) => `${object}.spec.?version.orValue('')`;
  return {
    name,
    path: webhookPaths.rollouts,
    sideEffects: 'None',
    failurePolicy: 'Ignore',
    operations: writes,
    resources: { group, version, plurals: [plural] },
    matchConditions: [
      { name: 'not-ours', expression: `request.userInfo.username != ${cel(controllerUser)}` },
      {
        name: 'names-a-version',
        expression: `${named('object')} != (oldObject == null ? '' : ${named('oldObject')})`,
      },
    ],
  };
}

/** Assigns versions to workloads at admission. Without a response, the controller assigns them afterwards. */
export function workloadWebhook(name: string, controllerUser: string, reloader: boolean): Webhook {
  return {
    name,
    path: webhookPaths.workloads,
    sideEffects: 'NoneOnDryRun',
    // Another webhook may add a container that references a config. A second call for the same object is idempotent.
    reinvocationPolicy: 'IfNeeded',
    failurePolicy: 'Ignore',
    operations: writes,
    resources: { group: 'apps', version: 'v1', plurals: ['deployments', 'statefulsets', 'daemonsets'] },
    matchConditions: matchConditions(controllerUser, reloader),
  };
}

/**
 * Injects the agent into pods that request it. A pod without its agent could not be reloaded, so the API server refuses
 * such a pod while the webhook does not answer, and its controller creates the pod again later.
 */
export function podWebhook(name: string): Webhook {
  const annotation = `object.metadata.?annotations[?${cel(annotations.restart)}].orValue('')`;
  return {
    name,
    path: webhookPaths.pods,
    sideEffects: 'None',
    // Another webhook may add a container, which needs the environment and the mounts, too.
    reinvocationPolicy: 'IfNeeded',
    failurePolicy: 'Fail',
    operations: ['CREATE'],
    resources: { group: '', version: 'v1', plurals: ['pods'] },
    matchConditions: [{ name: 'requests-a-reload', expression: `${annotation}.trim() == 'false'` }],
  };
}

/**
 * Write the assigned versions into pods where no policy has done so: before Kubernetes 1.36. A pod without them would run
 * the live config, so that the API server refuses it while the webhook does not answer.
 */
export function podReferenceWebhooks(names: Record<keyof typeof podRequests, string>): Webhook[] {
  return (['pods', 'ephemeralContainers'] as const).map((key) => ({
    name: names[key],
    path: webhookPaths.podReferences,
    sideEffects: 'None',
    reinvocationPolicy: 'IfNeeded',
    failurePolicy: 'Fail',
    operations: [podRequests[key].operation],
    resources: { group: '', version: 'v1', plurals: [podRequests[key].resource] },
    matchConditions: needsRewrite(podRequests[key]),
  }));
}

/**
 * Limits calls to workloads that can be managed: those with an opt-in annotation, or with the label of a previous
 * assignment. Opt-in by an owner reference on a config needs no condition: the reference contains the uid of the
 * workload, so the workload exists already, and it has the label after its adoption.
 */
function matchConditions(controllerUser: string, reloader: boolean): { name: string; expression: string }[] {
  const marked = (object: string) => {
    const found = `${object}.metadata.?annotations.orValue({})`;
    const ofTemplate = `${object}.spec.template.?metadata.?annotations.orValue({})`;
    const marks = [
      `${cel(annotations.manage)} in ${found}`,
      `${cel(labels.assigned)} in ${object}.metadata.?labels.orValue({})`,
      `${cel(annotations.move)} in ${found}`,
      ...(reloader ? [found, ofTemplate].map(hasReloaderAnnotation) : []),
    ];
    return `(${marks.join(' || ')})`;
  };
  const label = (object: string) => `${object}.metadata.?labels[?${cel(labels.assigned)}].orValue('')`;
  const note = (object: string, name: string) => `${object}.metadata.?annotations[?${cel(name)}].orValue('')`;
  // These decide how pods are reloaded. Without a change of them, a status update needs no call.
  const requestsMove = `${note('object', annotations.move)} != ${note('oldObject', annotations.move)}`;
  const noted = [
    annotations.restart,
    annotations.configPort,
    annotations.reload,
    annotations.verify,
    annotations.tokenEnv,
    annotations.versions,
  ].map((name) => `${note('object', name)} != ${note('oldObject', name)}`);
  return [
    {
      // The controller requests a change of references in an annotation, and makes all other changes itself.
      name: 'not-ours',
      expression: `request.userInfo.username != ${cel(controllerUser)} || (oldObject != null && ${requestsMove})`,
    },
    {
      name: 'can-be-managed',
      expression: `${marked('object')} || (oldObject != null && ${marked('oldObject')})`,
    },
    {
      name: 'changes-what-it-runs',
      expression: [
        'oldObject == null',
        'object.spec.template != oldObject.spec.template',
        `${label('object')} != ${label('oldObject')}`,
        ...noted,
        requestsMove,
      ].join(' || '),
    },
  ];
}

function hasReloaderAnnotation(map: string): string {
  return `${map}.exists(k, k.contains('reloader.stakater.com/'))`;
}
