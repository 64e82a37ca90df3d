import type { KubeClient } from '@trimtab/kube/client.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { activationOutcome } from '../core/activation/outcome.ts';
import { planRequest, type Superseded } from '../core/activation/version-request.ts';
import type { ConfigAddress } from '../core/references/config-address.ts';
import { noVersion } from '../versions/not-found.ts';
import { readVersion } from '../versions/read-config.ts';
import { readPlanInput } from '../versions/reads/read-plan-input.ts';
import { requestVersion } from '../versions/writes/request-version.ts';
import { activationPlan, type PlannedObject } from '../view/activation-plan.ts';
import { type Cluster, fieldManager } from './cluster/cluster.ts';
import { confirm } from './confirm.ts';
import { CommandFailure, exitCodes } from './failure.ts';
import { followConfig } from './follow-config.ts';
import { typedName } from './object-argument.ts';
import { outputFormat, renderObject } from './output/format.ts';
import { renderPlan } from './output/render-plan.ts';
import { reportEnd } from './report-outcome.ts';
import type { ProgressOptions } from './show-progress.ts';
import { suggestedCommand } from './suggested-command.ts';

export interface ReleaseContext extends Pick<ProgressOptions, 'io' | 'screen' | 'warn'> {
  flags: {
    namespace: string | undefined;
    context: string | undefined;
    dryRun: boolean;
    output: string | undefined;
    yes: boolean;
    watch: boolean;
    timeoutMs: number;
  };
}

interface Requested {
  address: ConfigAddress;
  rollout: ConfigRollout;
  version: string;
  /** Sentences that explain the choice of the version, before the plan. */
  explanation: string[];
  /** `Activate`, the beginning of the question. */
  verb: string;
  skipBake: boolean;
}

/** Shows the plan, asks, requests the version, and shows the rollout until its outcome is known. */
export async function activateVersion(
  context: ReleaseContext,
  cluster: Cluster,
  { address, rollout, version, explanation, verb, skipBake }: Requested,
): Promise<number> {
  const { io, screen, flags } = context;
  const { client } = cluster;
  const about = `${address.kind.toLowerCase()} "${address.name}"`;
  const intended = planRequest(rollout, version);
  if (!intended.write) {
    screen.line(`${about}: version ${version} is already current`);
    return exitCodes.done;
  }
  const plan = await readPlan(client, address, rollout, version);
  const programs = flags.dryRun
    ? renderObject(outputFormat(flags.output), plan, [typedName(address)])
    : undefined;
  if (programs !== undefined) {
    screen.write(programs);
    return plan.problems.length === 0 ? exitCodes.done : exitCodes.failed;
  }
  const from = plan.from === undefined || plan.from === version ? '' : `; version ${plan.from} is current`;
  for (const sentence of explanation) screen.line(sentence);
  if (intended.settled)
    screen.line(`Version ${version} is already current; the request replaces the version that is wanted now`);
  screen.line(`${verb} version ${version} of ${about} in namespace ${address.namespace}${from}`);
  screen.write(renderPlan(plan, screen, rollout.status?.workloads ?? []));
  if (plan.problems.length > 0)
    throw new CommandFailure(`version ${version} cannot be activated: ${plan.problems.join('; ')}`, {
      hint: 'add another version; a reference to a key that may be missing can be marked optional',
    });
  if (flags.dryRun) {
    screen.line('\nNothing was changed (dry run)');
    return exitCodes.done;
  }
  screen.line();
  if (!flags.yes && !(await confirm(io, `${verb} version ${version}?`))) {
    io.stderr.write('Cancelled: nothing was changed\n');
    return exitCodes.failed;
  }
  const requester = { client, fieldManager, username: () => cluster.username() };
  const request = await requestVersion(requester, address, rollout, version, { skipBake });
  if (request.supersedes !== undefined) screen.line(supersededText(request.supersedes));
  if (!flags.watch) {
    screen.line(`${about}: version ${version} requested`);
    io.stderr.write(`hint: follow the rollout with ${suggestedCommand(context, 'status', address, '-w')}\n`);
    return exitCodes.done;
  }
  const ended = await followConfig({
    ...{ io, screen, warn: context.warn, client, address, timeoutMs: flags.timeoutMs },
    outcome: (seen) => activationOutcome(seen, version),
  });
  const code = reportEnd(ended, {
    ...{ io, flags, config: address },
    subject: `the rollout of version ${version}`,
  });
  if (code === exitCodes.done) screen.line(`${about}: version ${version} is current`);
  return code;
}

async function readPlan(client: KubeClient, address: ConfigAddress, rollout: ConfigRollout, version: string) {
  const target = await readVersion(client, address, rollout, version);
  if (target === undefined)
    throw new CommandFailure(noVersion(address, version).message, {
      hint: `list the versions with \`trimtab versions ${address.kind.toLowerCase()}/${address.name}\``,
    });
  const { signal } = new AbortController();
  return activationPlan(await readPlanInput<PlannedObject>(client, address, rollout, target, signal));
}

function supersededText({ version, by, activation }: Superseded): string {
  const what = activation === undefined ? 'the request for' : 'the activation of';
  return `This replaces ${what} version ${version}${by === undefined ? '' : `, requested by ${by}`}`;
}
