import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { ConfigRollout } from '../../api/config-rollout.ts';
import type { Goal, Outcome } from '../../core/activation/outcome.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { rolloutName } from '../../core/version/object-names.ts';
import { withoutRemedy } from '../../view/rollout-headline.ts';
import { AwaitedEdit } from '../awaited-edit.ts';
import { clientCommand } from '../client-command.ts';
import { exitCodes } from '../failure.ts';
import { RolloutFollower } from '../follow-rollout.ts';
import { configArgument, typedName } from '../object-argument.ts';
import { humanDuration } from '../output/age.ts';
import type { Screen } from '../output/screen.ts';
import { oneLine } from '../output/table.ts';
import { timeoutFlag } from '../release-flags.ts';
import { exitCodeOf } from '../report-outcome.ts';
import { showProgress } from '../show-progress.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab wait',
    summary:
      'Waits until the last edit of configs is released, for scripts after `kubectl apply` or `helm upgrade`. Exit codes: 0 released, 3 rolled back, 4 timed out, 1 otherwise. With release mode Manual or Locked an edit is not activated by itself: the wait ends when the requested version is current.',
    positionals: {
      configs: {
        required: true,
        many: true,
        help: 'Configs as TYPE/NAME; a bare name is a ConfigMap.',
        completes: 'managed-config',
      },
    },
    flags: {
      for: {
        type: 'string',
        default: 'current',
        placeholder: 'current|ready|version=NAME',
        help: 'What to wait for. current: the wanted version is current. ready: also, all workloads run it. version=NAME: this version is current.',
      },
      timeout: timeoutFlag,
    },
    examples: [
      {
        does: 'Release an edit of ConfigMap foo and wait for its outcome',
        command: 'kubectl apply -f foo.yaml && trimtab wait foo',
      },
      {
        does: 'Wait until a certain version of a Secret is current',
        command: 'trimtab wait secret/bar --for=version=1.0.3 --timeout 5m',
      },
    ],
  },
  async ({ positionals, flags, io, screen, warn, cluster }) => {
    const goal = goalOf(flags.for);
    const configs = positionals.configs.map(configArgument);
    const { client, namespace } = await cluster();
    const addresses = configs.map(({ kind, name }): ConfigAddress => ({ kind, name, namespace }));
    // The edits are read before anything else: they are what the caller waits for.
    const edits = await Promise.all(
      addresses.map(async (address) => ({ address, edit: await AwaitedEdit.read(client, address, goal) })),
    );
    const names = new Set(addresses.map(({ kind, name }) => rolloutName(kind, name)));
    const find = (rollouts: readonly ConfigRollout[], { kind, name }: ConfigAddress) =>
      rollouts.find(({ metadata }) => metadata.name === rolloutName(kind, name));
    const [first] = addresses;
    const isOne = addresses.length === 1 && first !== undefined;
    const follower = new RolloutFollower({
      ...{ client, withPods: false, select: ({ metadata }) => names.has(metadata.name ?? '') },
      ...(isOne ? { config: first } : { namespace }),
    });
    let outcomes: { address: ConfigAddress; outcome: Outcome }[] = [];
    const ended = await showProgress({
      ...{ io, screen, warn, follower, timeoutMs: flags.timeoutMs, linesOnly: true },
      paint: () => [],
      outcome: (rollouts) => {
        outcomes = edits.map(({ address, edit }) => ({
          address,
          outcome: edit.outcome(find(rollouts, address)),
        }));
        return allTogether(outcomes);
      },
    });
    if (ended.how === 'interrupted') return exitCodes.interrupted;
    const codes = outcomes.map((each) => {
      const rollout = find(follower.rollouts, each.address);
      return report(each, rollout, { io, screen, timeoutMs: flags.timeoutMs });
    });
    const { rolledBack, failed, timedOut, done } = exitCodes;
    return [rolledBack, failed, timedOut].find((code) => codes.includes(code)) ?? done;
  },
);

function goalOf(text: string): Goal {
  if (text === 'current' || text === 'ready') return { is: text };
  const version = /^version=(.+)$/.exec(text)?.[1];
  if (version !== undefined) return { is: 'version', version };
  throw new OperationalError(
    errors.ConfigInvalid,
    `--for: '${text}' is not valid: must be current, ready or version=NAME`,
  );
}

/** The wait ends when each config has an outcome. */
function allTogether(outcomes: readonly { address: ConfigAddress; outcome: Outcome }[]): Outcome {
  const open = outcomes.find(({ outcome }) => outcome.state === 'in-progress');
  if (open !== undefined) return open.outcome;
  return outcomes[0]?.outcome ?? { state: 'failed', reason: 'nothing to wait for' };
}

function report(
  { address, outcome }: { address: ConfigAddress; outcome: Outcome },
  rollout: ConfigRollout | undefined,
  {
    io,
    screen,
    timeoutMs,
  }: { io: { stderr: { write(text: string): unknown } }; screen: Screen; timeoutMs: number },
): number {
  const name = typedName(address);
  if (outcome.state === 'current') {
    screen.line(`${name}: version ${outcome.version} is current`);
    const mode = rollout?.spec.release;
    if (mode === 'Manual')
      screen.line(
        `${name}: release mode is Manual, so an edit becomes a version and is not activated by itself`,
      );
    return exitCodes.done;
  }
  if (outcome.state === 'in-progress') {
    io.stderr.write(
      `error: ${name}: timed out after ${humanDuration(timeoutMs)} waiting for ${oneLine(outcome.text)}\n`,
    );
    const hint =
      rollout === undefined
        ? 'the config has no ConfigRollout: check that a workload manages it (`trimtab manage`), and that the controller runs'
        : rollout.status?.observed === undefined || outcome.text.startsWith('the controller')
          ? 'check that the controller runs: kubectl get pods -n trimtab-system'
          : 'the rollout continues; see `trimtab status`';
    io.stderr.write(`hint: ${hint}\n`);
    return exitCodes.timedOut;
  }
  io.stderr.write(`error: ${name}: ${oneLine(withoutRemedy(outcome.reason))}\n`);
  return exitCodeOf(outcome.state);
}
