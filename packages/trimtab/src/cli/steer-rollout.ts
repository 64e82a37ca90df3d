import type { KubeClient } from '@trimtab/kube/client.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import type { Outcome } from '../core/activation/outcome.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { rolloutName } from '../core/version/object-names.ts';
import { type Cluster, fieldManager } from './cluster/cluster.ts';
import { findRollout } from './cluster/find-rollout.ts';
import type { CommandFailure } from './failure.ts';
import { followConfig } from './follow-config.ts';
import { configArgument } from './object-argument.ts';
import { reportEnd } from './report-outcome.ts';
import type { ProgressOptions } from './show-progress.ts';

interface SteerContext extends Pick<ProgressOptions, 'io' | 'screen' | 'warn'> {
  positionals: { config: string };
  cluster(): Promise<Cluster>;
}

interface FollowContext extends SteerContext {
  flags: { namespace: string | undefined; context: string | undefined; timeoutMs: number };
}

/** A rollout that a command changes. */
export interface Steered {
  client: KubeClient;
  address: ConfigAddress;
  rollout: ConfigRollout;
  /** `configmap "foo"`, as kubectl names an object. */
  about: string;
}

export async function findSteered(context: Pick<SteerContext, 'positionals' | 'cluster'>): Promise<Steered> {
  const { kind, name } = configArgument(context.positionals.config);
  const { client, namespace } = await context.cluster();
  const address = { kind, name, namespace };
  const rollout = await findRollout(client, address);
  return { client, address, rollout, about: `${kind.toLowerCase()} "${name}"` };
}

export function patchRollout({ client, address }: Steered, body: object): Promise<ConfigRollout> {
  const { kind, namespace, name } = address;
  const where = { namespace, name: rolloutName(kind, name) };
  return client.patch<ConfigRollout>(configRollouts, where, { type: 'merge', body }, { fieldManager });
}

/** Sets `spec.paused`. As kubectl, it fails when there is nothing to change. */
export async function setPaused(
  context: SteerContext,
  paused: boolean,
  refusal: (about: string) => CommandFailure,
): Promise<Steered> {
  const steered = await findSteered(context);
  if ((steered.rollout.spec.paused ?? false) === paused) throw refusal(steered.about);
  const rollout = await patchRollout(steered, { spec: { paused } });
  context.screen.line(`${steered.about} ${paused ? 'paused' : 'resumed'}`);
  return { ...steered, rollout };
}

/** Shows the rollout after a change. Returns the exit code of its outcome. */
export async function followSteered(
  { io, screen, warn, flags }: FollowContext,
  { client, address, about }: Steered,
  subject: string,
  outcome: (rollout: ConfigRollout) => Outcome,
): Promise<number> {
  const ended = await followConfig({
    ...{ io, screen, warn, client, address, outcome, timeoutMs: flags.timeoutMs },
  });
  const code = reportEnd(ended, { io, flags, config: address, subject });
  if (ended.how === 'outcome' && ended.outcome.state === 'current')
    screen.line(`${about}: version ${ended.outcome.version} is current`);
  return code;
}
