import type { ActivationPlan } from '../../view/activation-plan.ts';
import { typedName } from '../object-argument.ts';
import type { Screen } from './screen.ts';
import { renderTable } from './table.ts';

type Planned = ActivationPlan['waves'][number]['workloads'][number] & { wave: number };

/** Renders what an activation would do: which keys change, which workloads get the version, in which order, and how. */
export function renderPlan(
  plan: ActivationPlan,
  screen: Screen,
  known: readonly { kind: string; name: string }[],
): string {
  const workloads = plan.waves.flatMap(({ wave, workloads: planned }) =>
    planned.map((each) => ({ ...each, wave })),
  );
  const table =
    workloads.length === 0
      ? withoutWorkloads(known)
      : renderTable<Planned>(
          [
            ...(plan.waves.length > 1 ? [{ title: 'WAVE', cell: ({ wave }: Planned) => String(wave) }] : []),
            { title: 'WORKLOAD', cell: typedName, flexible: true },
            { title: 'HOW', cell: ({ how }) => how },
            { title: 'PODS', cell: ({ pods }) => String(pods) },
          ],
          workloads,
          screen,
        );
  const warnings = [
    ...plan.warnings,
    ...workloads.flatMap((each) => each.warnings.map((text) => `${typedName(each)}: ${text}`)),
  ];
  return [
    `Keys: ${changesText(plan.changes)}\n\n`,
    table,
    ...(warnings.length === 0 ? [] : ['\n', ...warnings.map((text) => `Warning: ${text}\n`)]),
  ].join('');
}

/** Workloads that may not be listed, or are pinned, are known from the status of the ConfigRollout. */
function withoutWorkloads(known: readonly { kind: string; name: string }[]): string {
  return known.length === 0
    ? 'No managed workload uses the config: the version becomes current at once.\n'
    : `Workloads of the config: ${known.map(typedName).join(', ')}\n`;
}

function changesText({ added, removed, changed }: ActivationPlan['changes']): string {
  const parts = [
    ...changed.map((key) => `${key} changed`),
    ...added.map((key) => `${key} added`),
    ...removed.map((key) => `${key} removed`),
  ];
  return parts.length === 0 ? 'no change' : parts.join(', ');
}
