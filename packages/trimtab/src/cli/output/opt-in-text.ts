import { workloadText } from '../../core/workload/workload-key.ts';
import type { AdoptedWorkload } from '../../view/adoption-plan.ts';
import { typedName } from '../object-argument.ts';
import { counted } from './result-line.ts';

/** What an opt-in does, for a person who is asked to confirm it. */
export function optInText(adopted: AdoptedWorkload): string[] {
  const { kind, name, configs, unmanaged } = adopted;
  const lines = [
    ...configs.map(({ version, isNew, ...config }) => [
      typedName(config),
      isNew ? `its content becomes version ${version}` : `version ${version} is current`,
    ]),
    ...unmanaged.map(({ reason, ...config }) => [typedName(config), `stays as it is: ${reason}`]),
  ];
  const width = Math.max(0, ...lines.map(([left = '']) => left.length));
  return [
    `${workloadText(`${kind}/${name}`)} will be managed:`,
    ...lines.map(([left = '', right = '']) => `  ${left.padEnd(width)}   ${right}`),
    `${effectOf(adopted)}.`,
  ];
}

/** What happens to the pods of a workload that opts in, without a period. */
export function effectOf({ rolls, how, pods }: AdoptedWorkload): string {
  if (!rolls) return 'No pod is replaced';
  if (how === 'reload') return `Pods without the agent are replaced once (${counted(pods, 'pod')})`;
  return pods === 0
    ? 'The workload has no pods to replace'
    : `One rolling update replaces ${counted(pods, 'pod')}`;
}
