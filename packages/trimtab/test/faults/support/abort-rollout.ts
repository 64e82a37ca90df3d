import { type ConfigRollout, configRollouts } from '../../../src/api/config-rollout.ts';
import { annotations } from '../../../src/api/names.ts';
import type { ScenarioStep } from './scenario.ts';

/** A user asks to abort the activation that runs according to the status; nothing when none runs. */
export function abortRollout(name: string): ScenarioStep['does'] {
  return async (client, namespace) => {
    const where = { namespace, name };
    const { status } = await client.get<ConfigRollout>(configRollouts, where);
    if (status?.target === undefined) return;
    const body = { metadata: { annotations: { [annotations.abort]: status.target.activation } } };
    await client.patch(configRollouts, where, { type: 'merge', body });
  };
}
