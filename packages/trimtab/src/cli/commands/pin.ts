import { workloadResources } from '@trimtab/kube/resource.ts';
import { annotations } from '../../api/names.ts';
import { formatAssignedVersions } from '../../core/references/assigned-versions.ts';
import { configKey } from '../../core/references/config-key.ts';
import { assignedConfigs } from '../../view/assigned-configs.ts';
import { managedConfigs } from '../../view/opt-out-plan.ts';
import { clientCommand } from '../client-command.ts';
import { editAnnotations } from '../cluster/edit-annotations.ts';
import { readConfigs } from '../cluster/read-configs.ts';
import { readWorkload } from '../cluster/read-workload.ts';
import { dryRunFlag } from '../confirm.ts';
import { CommandFailure } from '../failure.ts';
import { typedName, workloadArgument } from '../object-argument.ts';
import { resultLine } from '../output/result-line.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab pin',
    summary:
      'Pins a workload to the versions that it is assigned now. Rollouts of its configs leave it out until `trimtab unpin`. No pod is replaced.',
    positionals: {
      workload: {
        required: true,
        help: 'Workload as TYPE/NAME, such as deployment/bar.',
        completes: 'workload',
      },
    },
    flags: { dryRun: dryRunFlag },
    examples: [
      { does: 'Keep a Deployment at its versions', command: 'trimtab pin deployment/bar' },
      {
        does: 'Show the versions that a StatefulSet would keep',
        command: 'trimtab pin statefulset/db --dry-run',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen }) => {
    const object = workloadArgument(positionals.workload);
    const { client, namespace } = await cluster();
    const [workload, configs] = await Promise.all([
      readWorkload(client, namespace, object),
      readConfigs(client, namespace),
    ]);
    const managed = managedConfigs(configs, workload);
    const unassigned = managed.filter(({ assigned }) => assigned === undefined);
    if (managed.length === 0)
      throw new CommandFailure(`${typedName(object)} runs no version: it is not managed`, {
        hint: `opt it in with \`trimtab manage ${typedName(object)}\``,
      });
    if (unassigned.length > 0)
      throw new CommandFailure(
        `${typedName(object)} is not assigned a version of ${unassigned.map(typedName).join(', ')} yet`,
        { hint: 'follow the rollout with `trimtab status`, and pin the workload afterwards' },
      );
    const assigned = managed.flatMap((config) =>
      config.assigned === undefined ? [] : [{ ...config, ...config.assigned }],
    );
    await editAnnotations(
      client,
      workloadResources[object.kind],
      workload,
      (now) => ({ [annotations.pin]: pinOf(configs, { ...now, kind: object.kind }) }),
      flags,
    );
    const versions = assigned.map(({ version, ...config }) => `${typedName(config)} ${version}`).join(', ');
    screen.line(resultLine(object, `pinned to ${versions}`, flags));
    return 0;
  },
);

function pinOf(...[configs, workload]: Parameters<typeof assignedConfigs>): string {
  const objects = assignedConfigs(configs, workload).flatMap(({ kind, name, assigned }) =>
    assigned === undefined ? [] : [[configKey(kind, name), assigned.object] as const],
  );
  return formatAssignedVersions(new Map(objects));
}
