import { configRollouts } from '../../api/config-rollout.ts';
import { cel } from './guard.ts';
import { controllerUser, webhookPaths } from './installation.ts';
import type { Webhook } from './webhook-configuration.ts';

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
