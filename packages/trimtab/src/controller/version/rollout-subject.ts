import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { EventSubject } from '../context.ts';

/** Returns the involved object for an Event about a rollout. */
export function rolloutSubject({ metadata }: ConfigRollout): EventSubject {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { apiVersion: 'trimtab.dev/v1alpha1', kind: 'ConfigRollout', namespace, name, uid };
}
