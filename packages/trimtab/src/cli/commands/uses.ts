import { noConfig } from '../../versions/not-found.ts';
import { throughText } from '../../view/uses/through.ts';
import { type Use, useList } from '../../view/uses/uses.ts';
import { clientCommand } from '../client-command.ts';
import { readUsesOfConfig, readUsesOfWorkload } from '../cluster/read-uses.ts';
import { missingListText } from '../missing-list.ts';
import { objectArgument, typedName } from '../object-argument.ts';
import { outputFlag, outputFormat, renderObject } from '../output/format.ts';
import { type Column, renderTable } from '../output/table.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab uses',
    summary:
      'Lists who uses a config: workloads, and Jobs, CronJobs, ReplicationControllers, ReplicaSets and pods, which are never updated. For a workload, lists the configs that it uses.',
    positionals: {
      object: {
        required: true,
        help: 'Config or workload as TYPE/NAME; a bare name is a ConfigMap.',
        completes: 'object',
      },
    },
    flags: { output: outputFlag },
    examples: [
      { does: 'List who uses ConfigMap foo, and through what', command: 'trimtab uses foo' },
      { does: 'List the configs that Deployment bar uses', command: 'trimtab uses deployment/bar' },
      {
        does: 'Print the names of all users of Secret bar',
        command: 'trimtab uses secret/bar -o name',
      },
    ],
  },
  async ({ flags, positionals, cluster, screen, io, warn }) => {
    const asked = objectArgument(positionals.object);
    const format = outputFormat(flags.output);
    const { client, namespace } = await cluster();
    const isConfig = asked.is === 'config';
    const named = `${asked.kind.toLowerCase()} "${asked.name}"`;
    const read = isConfig
      ? await readUsesOfConfig(client, { ...asked, namespace })
      : await readUsesOfWorkload(client, namespace, asked);
    if (read.hidden.length > 0) warn(missingListText(read.hidden, namespace, 'the list may be incomplete'));
    if (isConfig && read.found.length === 0 && 'exists' in read && !read.exists)
      throw noConfig({ ...asked, namespace });
    const list = useList(read.found);
    if (list.items.length === 0)
      io.stderr.write(
        isConfig
          ? `No workload, Job or pod in ${namespace} namespace uses ${named}.\n`
          : `${named} uses no ConfigMap or Secret.\n`,
      );
    const names = list.items.map(({ user, config }) => typedName(isConfig ? user : config));
    const text = renderObject(format, list, names);
    if (text !== undefined) screen.write(text);
    else if (list.items.length > 0) {
      const wide = format.format === 'table' && format.wide;
      screen.write(renderTable(columns(isConfig), list.items, screen, { wide }));
      for (const [index, { notes }] of list.items.entries())
        for (const note of notes) screen.line(`${names[index]}: ${note}`);
    }
    return 0;
  },
);

function columns(isConfig: boolean): Column<Use>[] {
  const current: Column<Use> = { title: 'CURRENT', cell: (use) => use.current ?? '<none>' };
  return [
    { title: 'NAME', cell: ({ user, config }) => typedName(isConfig ? user : config) },
    { title: 'THROUGH', cell: ({ through }) => throughText(through), flexible: true },
    { title: 'MODE', cell: ({ mode }) => mode },
    {
      title: 'MANAGED',
      cell: ({ managed }) => (managed ? 'yes' : 'no'),
      tone: ({ managed }) => (managed ? 'good' : undefined),
    },
    {
      title: 'VERSION',
      cell: ({ version, exists }) => version ?? (exists === false ? '<none>' : 'live'),
    },
    ...(isConfig ? [] : [current]),
    { title: 'PODS', cell: ({ pods }) => (pods === undefined ? '<unknown>' : String(pods)) },
    { title: 'WHY', cell: ({ why }) => why, flexible: true },
    {
      title: 'CONTAINERS',
      cell: ({ through }) =>
        [...new Set(through.flatMap(({ container }) => container ?? []))].join(',') || '<none>',
      wide: true,
    },
    { title: 'OPTIONAL', cell: ({ optional }) => (optional ? 'yes' : 'no'), wide: true },
  ];
}
