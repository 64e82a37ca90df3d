import { failuresOutsideOfSpecs, type Outcome, readGinkgoReport } from './ginkgo-report.ts';
import { judge, type Lists, type Row } from './judge.ts';
import { type Shard, type Share, shards } from './shards.ts';

export interface ConformanceRun {
  rows: Row[];
  /** Failures outside of any spec. */
  broken: string[];
  /** Specs that failed at first and passed when they ran again alone. */
  flaky: string[];
}

/** Maximum number of failed specs to repeat. More failures have a common cause, so repeating them only takes time. */
const mostRepeated = 10;

/**
 * Runs shards concurrently, because specs spend most of their time waiting. Each failed spec runs once more at the end,
 * alone. `run` returns Ginkgo's report.
 */
export async function runShards(
  lists: Lists,
  share: Share,
  run: (shard: Shard) => Promise<string>,
): Promise<ConformanceRun> {
  const chosen = shards(lists, share);
  const names = new Set(chosen.flatMap((shard) => shard.names));
  const first = await outcomes(chosen.map(run));
  const failed = judge(lists, first.known, names).filter(isFailure);
  const known = new Map(first.known);
  const broken = [...first.broken];
  for (const { name } of failed.length > mostRepeated ? [] : failed) {
    const shard = chosen.find((each) => each.names.includes(name));
    const second = await outcomes([run({ ...shard, names: [name] })]);
    known.set(name, second.known.get(name));
    broken.push(...second.broken);
  }
  const rows = judge(lists, known, names);
  const passed = new Set(rows.filter(({ wrong }) => !wrong).map(({ name }) => name));
  return { rows, broken, flaky: failed.map(({ name }) => name).filter((name) => passed.has(name)) };
}

/** Whether the spec ran and did not pass. */
function isFailure({ wrong, result, seconds }: Row): boolean {
  return wrong && result === 'fail' && seconds !== undefined;
}

async function outcomes(running: readonly Promise<string>[]) {
  const runs = await Promise.allSettled(running);
  const reports = runs.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const known = new Map<string, Outcome | undefined>();
  for (const report of reports)
    for (const [name, outcome] of readGinkgoReport(report)) known.set(name, known.get(name) ?? outcome);
  const lost = runs.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
  return { known, broken: [...lost, ...reports.flatMap(failuresOutsideOfSpecs)] };
}
