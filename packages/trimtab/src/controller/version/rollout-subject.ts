import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { EventSubject } from '../context.ts';

/** What an Event about a rollout points to. */
export function rolloutSubject({ metadata }: ConfigRollout): EventSubject {
  const { namespace = '', name = '', uid = '' } = metadata;
  return { apiVersion: 'trimtab.dev/v1alpha1', kind: 'ConfigRollout', namespace, name, uid };
}
