import type { Row } from './judge.ts';
import type { ConformanceRun } from './run-shards.ts';

const order: readonly Row['result'][] = ['pass', 'left out', 'cannot apply', 'fails yet', 'fail'];

/** What a run prints: a line for each spec, those that need a look last, and how many there are of each. */
export function reportLines({ rows, broken, flaky }: ConformanceRun): string[] {
  const sorted = rows.toSorted((a, b) => Number(a.wrong) - Number(b.wrong) || rank(a) - rank(b));
  const counts = order.map((result) => `${rows.filter((row) => row.result === result).length} ${result}`);
  return [
    ...sorted.flatMap(rowLines),
    ...broken.map((each) => `FAIL  outside of the specs: ${each}`),
    ...flaky.map((name) => ` FLAKY  ${name}`),
    `Kubernetes' own specs on the local API server: ${counts.join(', ')}`,
  ];
}

/** For the summary of `npm run test:cluster`. */
export function conformanceCounts({ rows, broken, flaky }: ConformanceRun) {
  const failed = rows.filter(({ wrong }) => wrong).length;
  const passed = rows.filter(({ wrong, result }) => !wrong && result === 'pass').length;
  return { passed, failed, skipped: rows.length - passed - failed, broken: broken.length > 0, flaky };
}

/** The mark at the beginning is the one that vitest has, and CI looks for. */
function rowLines({ name, result, seconds, note, wrong }: Row): string[] {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`;
  const line = `${(wrong ? 'FAIL' : '').padEnd(6)}${result.padEnd(12)}${time.padStart(8)}  ${name}`;
  return note === '' ? [line] : [line, `${' '.repeat(28)}${note}`];
}

function rank({ result }: Row): number {
  return order.indexOf(result);
}
