import { workloadResources } from '@trimtab/kube/resource.ts';
import { annotations, systemNamespace } from '../../api/names.ts';
import { parseManage } from '../../core/workload/opt-in.ts';
import { workloadText } from '../../core/workload/workload-key.ts';
import { listWorkloads } from '../../versions/reads/list-workloads.ts';
import type { PlannedObject } from '../../view/activation-plan.ts';
import {
  type AdoptedWorkload,
  type AdoptionPlan,
  adoptionPlan,
  newConfigs,
} from '../../view/adoption-plan.ts';
import { clientCommand } from '../client-command.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { editAnnotations } from '../cluster/edit-annotations.ts';
import { readConfigs } from '../cluster/read-configs.ts';
import { canAsk, confirmOrStop, dryRunFlag, yesFlag } from '../confirm.ts';
import { exitCodes, reportFailure, usageError } from '../failure.ts';
import { typedName } from '../object-argument.ts';
import { outputFlag, outputFormat, renderObject } from '../output/format.ts';
import { effectOf } from '../output/opt-in-text.ts';
import { counted, resultLine } from '../output/result-line.ts';
import type { Screen } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';

/** Namespaces of the cluster itself, which `-A` leaves out. They can be adopted by name. */
const systemNamespaces = ['kube-system', 'kube-public', 'kube-node-lease', systemNamespace];

export const { program, run } = clientCommand(
  {
    name: 'trimtab adopt',
    summary:
      'Opts in all workloads of a namespace that reference ConfigMaps or Secrets and have not decided about it. Shows first what would be managed, and which pods would be replaced. The content of each config becomes version 1.0.0.',
    flags: {
      allNamespaces: {
        type: 'boolean',
        short: 'A',
        help: `Adopt the workloads of all namespaces, except ${systemNamespaces.join(', ')}.`,
      },
      selector: {
        type: 'string',
        short: 'l',
        placeholder: 'SELECTOR',
        help: 'Adopt only workloads with these labels, such as app=web,tier!=cache.',
      },
      output: { ...outputFlag, help: 'Format of the plan. Formats for programs require --dry-run.' },
      dryRun: dryRunFlag,
      yes: {
        ...yesFlag,
        help: 'Do not ask for confirmation. Required without a terminal, because many pods may be replaced.',
      },
    },
    examples: [
      { does: 'Show what would be managed in this namespace', command: 'trimtab adopt --dry-run' },
      { does: 'Adopt the workloads of one namespace', command: 'trimtab adopt -n shop' },
      {
        does: 'Adopt the workloads with a label in all namespaces, without a question',
        command: 'trimtab adopt -A -l team=shop --yes',
      },
    ],
  },
  async ({ flags, cluster, screen, io, warn }) => {
    const format = outputFormat(flags.output);
    if (format.format !== 'table' && !flags.dryRun)
      throw usageError(`-o ${flags.output} prints the plan for programs, and requires --dry-run`);
    if (!flags.dryRun && !flags.yes && !canAsk(io))
      throw usageError('without a terminal, adopt requires --yes or --dry-run');
    const { client, namespace } = await cluster();
    const scope = flags.allNamespaces ? undefined : namespace;
    const [listed, configs] = await Promise.all([
      listWorkloads<PlannedObject>(client, scope, new AbortController().signal, flags.selector),
      readConfigs(client, scope),
    ]);
    const isIncluded = ({ metadata }: PlannedObject) =>
      scope !== undefined || !systemNamespaces.includes(metadata.namespace ?? '');
    const workloads = listed.workloads.filter(isIncluded);
    const hidden = [...listed.hidden, ...configs.hidden];
    const plan = adoptionPlan({ ...configs, workloads, hidden });
    const names = plan.workloads.map((each) => typedName(each));
    const rendered = renderObject(format, plan, names);
    if (rendered !== undefined) {
      screen.write(rendered);
      return exitCodes.done;
    }
    for (const warning of plan.warnings) warn(warning);
    const wide = format.format === 'table' && format.wide;
    screen.write(planText(plan, screen, { allNamespaces: flags.allNamespaces, wide }));
    if (plan.workloads.length === 0) return exitCodes.done;
    if (!flags.dryRun && !flags.yes) await confirmOrStop(io, 'Adopt them?');
    let exitCode: number = exitCodes.done;
    for (const adopted of plan.workloads) {
      const workload = workloads.find((each) => isOf(adopted, each));
      if (workload === undefined) continue;
      try {
        const result = (await optIn({ client }, workload, flags.dryRun)) ? 'managed' : 'already managed';
        const where = scope === undefined ? ` in namespace "${adopted.namespace}"` : '';
        screen.line(resultLine(adopted, `${result}${where}`, flags));
      } catch (error) {
        exitCode = reportFailure(error, io);
      }
    }
    if (!flags.dryRun)
      screen.line(
        `\nRun \`${io.programName} status${scope === undefined ? ' -A' : ''}\` to follow the rollouts.`,
      );
    return exitCode;
  },
);

/** A decision that its owner made since the plan is kept. */
function optIn(
  { client }: Pick<Cluster, 'client'>,
  workload: PlannedObject,
  dryRun: boolean,
): Promise<boolean> {
  const change = ({ metadata }: PlannedObject) => {
    const manage = parseManage(metadata.annotations);
    return 'value' in manage && manage.value.mode === 'unsaid' ? { [annotations.manage]: 'true' } : undefined;
  };
  return editAnnotations(client, workloadResources[workload.kind], workload, change, { dryRun });
}

function planText(
  plan: AdoptionPlan,
  screen: Screen,
  { allNamespaces, wide }: { allNamespaces: boolean; wide: boolean },
): string {
  const { workloads, skipped, managed } = plan;
  const columns: Column<AdoptedWorkload>[] = [
    ...(allNamespaces ? [{ title: 'NAMESPACE', cell: (row: AdoptedWorkload) => row.namespace }] : []),
    { title: 'WORKLOAD', cell: (row) => typedName(row), tone: () => 'name' },
    {
      title: 'CONFIGS',
      cell: ({ configs }) => configs.map((each) => `${typedName(each)} ${each.version}`).join(', '),
      flexible: true,
    },
    { title: 'PODS', cell: ({ pods }) => `${pods}` },
    { title: 'EFFECT', cell: shortEffect, tone: ({ rolls }) => (rolls ? 'busy' : undefined) },
  ];
  const table = workloads.length === 0 ? '' : renderTable(columns, workloads, screen, { wide });
  const notes = workloads.flatMap((workload) => [
    ...workload.unmanaged.map(
      ({ reason, ...config }) => `${place(workload)}: ${typedName(config)} is not managed: ${reason}`,
    ),
    ...workload.warnings.map((warning) => `${place(workload)}: ${warning}`),
  ]);
  const left = skipped.map((workload) => `${place(workload)}: ${workload.reason}`);
  return [
    table,
    ...section('Warnings', notes),
    ...section('Not adopted', left),
    `${table === '' ? '' : '\n'}${summary(workloads, managed)}\n`,
  ].join('');

  function place({ namespace, kind, name }: { namespace: string; kind: string; name: string }): string {
    return `${allNamespaces ? `${namespace}: ` : ''}${workloadText(`${kind}/${name}`)}`;
  }
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`\n${title}:\n`, ...lines.map((line) => `  ${line}\n`)];
}

function shortEffect(workload: AdoptedWorkload): string {
  if (!workload.rolls) return 'none';
  if (workload.how === 'reload') return 'replaces pods without the agent';
  return workload.pods === 0 ? 'none: no pods' : 'rolling update';
}

function summary(workloads: readonly AdoptedWorkload[], managed: number): string {
  const already = managed === 0 ? '' : ` ${counted(managed, 'workload')} already managed.`;
  if (workloads.length === 0) return `No workload to adopt.${already}`;
  const [only] = workloads;
  const rolling = workloads.filter(({ rolls, pods }) => rolls && pods > 0);
  const pods = rolling.reduce((sum, each) => sum + each.pods, 0);
  const effect =
    workloads.length === 1 && only !== undefined
      ? effectOf(only)
      : `${counted(rolling.length, 'rolling update')}, ${counted(pods, 'pod')} replaced`;
  const configs = newConfigs(workloads).length;
  return `${counted(workloads.length, 'workload')} to adopt, with ${counted(configs, 'config')} that become${configs === 1 ? 's' : ''} a first version. ${effect}.${already}`;
}

function isOf({ kind, namespace, name }: AdoptedWorkload, workload: PlannedObject): boolean {
  return (
    workload.kind === kind && workload.metadata.namespace === namespace && workload.metadata.name === name
  );
}
