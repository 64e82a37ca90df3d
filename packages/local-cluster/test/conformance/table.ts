import type { Row } from './judge.ts';
import type { ConformanceRun } from './run-shards.ts';

const order: readonly Row['result'][] = ['pass', 'left out', 'cannot apply', 'fails yet', 'fail'];

/** The report of a run: one line per spec with failures last, and the number of specs per result. */
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

/** FAIL at the beginning of a line is vitest's marker, for which CI searches. */
function rowLines({ name, result, seconds, note, wrong }: Row): string[] {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`;
  const line = `${(wrong ? 'FAIL' : '').padEnd(6)}${result.padEnd(12)}${time.padStart(8)}  ${name}`;
  return note === '' ? [line] : [line, `${' '.repeat(28)}${note}`];
}

function rank({ result }: Row): number {
  return order.indexOf(result);
}
