import type { ConfigRollout } from '../../api/config-rollout.ts';

/** Sets a placeholder uid for a rollout that exists in a dry run only. */
export function withUid(rollout: ConfigRollout): ConfigRollout {
  return { ...rollout, metadata: { ...rollout.metadata, uid: '00000000-0000-0000-0000-000000000000' } };
}
