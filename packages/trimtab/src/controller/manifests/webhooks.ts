import { configRollouts } from '../../api/config-rollout.ts';
import { annotations, labels } from '../../api/names.ts';
import { cel } from './guard.ts';
import { controllerUser, webhookPaths } from './installation.ts';

/** What one webhook asks about, and who answers; the rest is the same for all. */
export interface Webhook {
  name: string;
  path: string;
  sideEffects: 'None' | 'NoneOnDryRun';
  reinvocationPolicy?: 'IfNeeded';
  resources: { group: string; version: string; plurals: string[] };
  matchConditions: { name: string; expression: string }[];
}

/** Who names a version is written down. Nothing but such a change calls the controller. */
export function rolloutWebhook(name: string): Webhook {
  const { group, version, plural } = configRollouts;
  const named = (object: string) => `${object}.spec.?version.orValue('')`;
  return {
    name,
    path: webhookPaths.rollouts,
    sideEffects: 'None',
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

/** Workloads get the versions they should run on their way in; without an answer, the controller repairs them. */
export function workloadWebhook(name: string, reloader: boolean): Webhook {
  return {
    name,
    path: webhookPaths.workloads,
    sideEffects: 'NoneOnDryRun',
    // Another webhook may add a container that references a config; ours changes nothing the second time.
    reinvocationPolicy: 'IfNeeded',
    resources: { group: 'apps', version: 'v1', plurals: ['deployments', 'statefulsets', 'daemonsets'] },
    matchConditions: matchConditions(reloader),
  };
}

/**
 * Only workloads that can be managed call the controller. They say so by annotation, or carry the label that their
 * first assignment left. An owner reference on a config needs no mark of its own here: it names the workload's uid,
 * so the workload exists, and from its adoption on it has the label.
 */
function matchConditions(reloader: boolean): { name: string; expression: string }[] {
  const marked = (object: string) => {
    const found = `${object}.metadata.?annotations.orValue({})`;
    const marks = [
      `${cel(annotations.manage)} in ${found}`,
      `${cel(labels.assigned)} in ${object}.metadata.?labels.orValue({})`,
      ...(reloader ? [`${found}.exists(k, k.contains('reloader.stakater.com/'))`] : []),
    ];
    return `(${marks.join(' || ')})`;
  };
  const label = (object: string) => `${object}.metadata.?labels[?${cel(labels.assigned)}].orValue('')`;
  return [
    { name: 'not-ours', expression: `request.userInfo.username != ${cel(controllerUser)}` },
    {
      name: 'can-be-managed',
      expression: `${marked('object')} || (oldObject != null && ${marked('oldObject')})`,
    },
    {
      name: 'changes-what-it-runs',
      expression: `oldObject == null || object.spec.template != oldObject.spec.template || ${label('object')} != ${label('oldObject')}`,
    },
  ];
}
