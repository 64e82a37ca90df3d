import type { Snapshot } from './snapshot.ts';

/** One line with the current version, the target and the versions of each workload. */
export function summaryOf({ configs, workloads }: Snapshot): string {
  const ofConfigs = Object.entries(configs).map(
    ([name, { current, target, phase }]) => `${name} ${current} → ${target ?? '-'} ${phase}`,
  );
  const ofWorkloads = Object.entries(workloads).map(
    ([name, { runs, rolledOut, marks }]) =>
      `${name} ${runs.join(' ')} (${rolledOut ? 'rolled out' : 'rolling out'}, ${marks})`,
  );
  return [...ofConfigs, ...ofWorkloads].join('; ');
}

/** Lists all differences of two snapshots. */
export function differences(now: unknown, wanted: unknown, path = ''): string {
  if (JSON.stringify(now) === JSON.stringify(wanted)) return '';
  if (!isRecord(now) || !isRecord(wanted))
    return `${path}: ${JSON.stringify(now)} and not ${JSON.stringify(wanted)}`;
  const keys = new Set([...Object.keys(now), ...Object.keys(wanted)]);
  return [...keys]
    .map((key) => differences(now[key], wanted[key], `${path}/${key}`))
    .filter((text) => text !== '')
    .join('; ');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
