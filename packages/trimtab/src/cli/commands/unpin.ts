import { workloadResources } from '@trimtab/kube/resource.ts';
import { annotations } from '../../api/names.ts';
import { clientCommand } from '../client-command.ts';
import { editAnnotations } from '../cluster/edit-annotations.ts';
import { readWorkload } from '../cluster/read-workload.ts';
import { dryRunFlag } from '../confirm.ts';
import { workloadArgument } from '../object-argument.ts';
import { resultLine } from '../output/result-line.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab unpin',
    summary:
      'Removes the pin of a workload. The workload gets the current versions of its configs, in one rolling update if they differ.',
    positionals: {
      workload: {
        required: true,
        help: 'Workload as TYPE/NAME, such as deployment/bar.',
        completes: 'workload',
      },
    },
    flags: { dryRun: dryRunFlag },
    examples: [
      {
        does: 'Have a Deployment follow the rollouts of its configs again',
        command: 'trimtab unpin deployment/bar',
      },
      { does: 'The same for a StatefulSet of another namespace', command: 'trimtab unpin sts/db -n shop' },
    ],
  },
  async ({ flags, positionals, cluster, screen }) => {
    const object = workloadArgument(positionals.workload);
    const { client, namespace } = await cluster();
    const workload = await readWorkload(client, namespace, object);
    const isChanged = await editAnnotations(
      client,
      workloadResources[object.kind],
      workload,
      ({ metadata }) =>
        metadata.annotations?.[annotations.pin] === undefined ? undefined : { [annotations.pin]: null },
      flags,
    );
    screen.line(isChanged ? resultLine(object, 'unpinned', flags) : resultLine(object, 'not pinned'));
    return 0;
  },
);
