import { readUsername } from '../../versions/reads/read-username.ts';
import { deleteVersion } from '../../versions/writes/delete-versions.ts';
import { purgeVersion } from '../../versions/writes/purge-versions.ts';
import {
  type Holder,
  type Obstacle,
  type PurgeInput,
  type PurgeProblem,
  planPurge,
} from '../../view/purge-plan.ts';
import { clientCommand } from '../client-command.ts';
import { fieldManager } from '../cluster/cluster.ts';
import { readPurgeInput } from '../cluster/read-purge-input.ts';
import { confirm } from '../confirm.ts';
import { dryRunFlag, dryRunSuffix } from '../dry-run.ts';
import { CommandFailure, exitCodes, reportFailure } from '../failure.ts';
import { missingListText } from '../missing-list.ts';
import { configArgument, configPositional, typedName } from '../object-argument.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab purge',
    summary:
      'Deletes all versions of a config that hold a leaked value. Names the versions that still hold it and cannot be deleted yet, with what to do. The value is never printed. The exit code is 1 while a version or the config itself holds the value.',
    positionals: { config: configPositional },
    flags: {
      valueOf: { type: 'string', placeholder: 'KEY', required: true, help: 'Key whose value leaked.' },
      version: {
        type: 'string',
        placeholder: 'NAME',
        completes: 'version',
        help: 'Version with the leaked value, or `current`. Defaults to all values of the key except that of the current version.',
      },
      oldRevisions: {
        type: 'boolean',
        help: 'Delete also versions that only old ReplicaSets and ControllerRevisions use. `kubectl rollout undo` to one of them then starts no pods.',
      },
      yes: { type: 'boolean', short: 'y', help: 'Delete without asking for confirmation.' },
      dryRun: dryRunFlag,
    },
    examples: [
      {
        does: 'After the password was changed, delete all versions of Secret bar with an older one',
        command: 'trimtab purge secret/bar --value-of password',
      },
      {
        does: 'The same, also for versions that old ReplicaSets still name',
        command: 'trimtab purge secret/bar --value-of password --old-revisions',
      },
      {
        does: 'Show which versions hold the password of version 1.0.1',
        command: 'trimtab purge secret/bar --value-of password --version 1.0.1 --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io, warn }) => {
    const config = configArgument(positionals.config);
    const { client, namespace } = await cluster();
    const address = { ...config, namespace };
    const named = `${config.kind.toLowerCase()} "${config.name}"`;
    const leak = { key: flags.valueOf, version: flags.version };
    const { hidden, ...read } = await readPurgeInput(client, address);
    if (hidden.length > 0)
      warn(missingListText(hidden, namespace, 'who uses the versions is not known in full'));
    const plan = planPurge({ ...leak, ...read });
    if ('problem' in plan) {
      if (plan.problem !== 'only the current value') throw notFound(plan.problem, named, leak);
      screen.line(
        `no version of ${named} holds a value of key "${leak.key}" other than that of the current version; to purge that one, first edit ${named} so that a new value becomes current`,
      );
      return exitCodes.done;
    }

    const goes = ({ obstacle }: Holder) =>
      obstacle === undefined || (flags.oldRevisions && obstacle.reason === 'Revisions');
    const going = plan.holders.filter(goes);
    const about = `You are about to delete the following ${going.length} version(s) of ${named}:\n${going.map(({ version }) => version).join('\n')}`;
    const isDryRun = flags.dryRun !== 'none';
    if (
      going.length > 0 &&
      !flags.yes &&
      !isDryRun &&
      !(await confirm(io, `${about}\nDo you want to continue?`))
    ) {
      screen.line('deletion is cancelled');
      return exitCodes.failed;
    }
    let remains = false;
    const next = going.map(({ version }) => version);
    for (const version of next)
      try {
        const request = { dryRun: isDryRun, preconditions: {} };
        const writer = { client, fieldManager, username: () => readUsername(client), next };
        if (flags.oldRevisions || read.rollout === undefined) {
          const { warnings } = await purgeVersion(writer, address, version, request);
          for (const warning of warnings) warn(warning);
        } else await deleteVersion(writer, address, version, request);
        screen.line(`version "${version}" of ${named} deleted${dryRunSuffix(flags.dryRun)}`);
      } catch (error) {
        remains = true;
        reportFailure(error, io);
      }
    const commands: Commands = {
      wait: `${io.programName} wait ${typedName(config)} -n ${namespace}`,
      remove: (objects) => `kubectl delete ${objects.join(' ')} -n ${namespace}`,
    };
    const kept = plan.holders.filter((holder) => !goes(holder));
    for (const holder of kept)
      screen.line(`version "${holder.version}" of ${named} ${keptText(holder, named, commands)}`);
    if (plan.liveKeys.length > 0)
      screen.line(`${named} itself still holds the value in ${keysText(plan.liveKeys)}: edit it`);
    if (plan.isInLastApplied)
      screen.line(
        `${named} still holds the value in its annotation kubectl.kubernetes.io/last-applied-configuration: apply it again`,
      );
    for (const object of plan.strays)
      screen.line(
        `${typedName({ kind: config.kind, name: object })} still holds the value: it is a version of a deleted ConfigRollout, and Kubernetes deletes it with the last ReplicaSet or ControllerRevision that uses it`,
      );
    const isHeld = kept.length + plan.strays.length + plan.liveKeys.length > 0 || plan.isInLastApplied;
    return remains || isHeld ? exitCodes.failed : exitCodes.done;
  },
);

function notFound(
  problem: PurgeProblem,
  named: string,
  { key, version }: Pick<PurgeInput, 'key' | 'version'>,
): CommandFailure {
  if (problem === 'no such version') return new CommandFailure(`${named} has no version "${version}"`);
  return new CommandFailure(
    version === undefined
      ? `no version of ${named} has a value for key "${key}"`
      : `version "${version}" of ${named} has no value for key "${key}"`,
    { hint: `list the keys of ${named} with \`kubectl describe\`` },
  );
}

/** Commands that a message tells to run. */
interface Commands {
  wait: string;
  remove: (objects: readonly string[]) => string;
}

function keptText({ keys, obstacle }: Holder, named: string, commands: Commands): string {
  const what = obstacle === undefined ? '' : obstacleText(obstacle, named, commands);
  return `still holds the value in ${keysText(keys)}: ${what}`;
}

function obstacleText(obstacle: Obstacle, named: string, commands: Commands): string {
  const again = 'then run this command again';
  switch (obstacle.reason) {
    case 'Current':
      return `it is current; edit ${named} so that a new value becomes current, wait with \`${commands.wait}\`, ${again}`;
    case 'BeingCurrent':
      return `it is being rolled out; edit ${named} so that a new value becomes current, wait with \`${commands.wait}\`, ${again}`;
    case 'Wanted':
      return `spec.version of the ConfigRollout requests it; activate another version, ${again}`;
    case 'Live':
      return `it has the content of ${named} and would be created again; edit ${named}, ${again}`;
    case 'Running':
      return obstacle.message;
    case 'Revisions':
      return `only old revisions use it; delete them with \`${commands.remove(obstacle.users)}\`, or wait until revisionHistoryLimit removes them, ${again}; or run it with --old-revisions`;
    case 'MarkedInUse':
      return `its label still marks it as in use; the controller removes the label within seconds, ${again}`;
    case 'UnknownUsers':
      return `it is in use; get the missing rights to see what uses it, ${again}`;
  }
}

function keysText(keys: readonly string[]): string {
  return listed(
    'key',
    keys.map((key) => JSON.stringify(key)),
  );
}

function listed(what: string, names: readonly string[]): string {
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return `${what}${names.length === 1 ? '' : 's'} ${shown.join(', ')}`;
}
