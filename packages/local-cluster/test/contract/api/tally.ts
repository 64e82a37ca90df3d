import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Difference } from './differences.ts';

export interface CaseResult {
  engine: Engine['name'];
  /** `area: name of the case`. */
  case: string;
  status: 'passed' | 'failed' | 'skipped';
}

interface VitestReport {
  testResults: {
    assertionResults: {
      status: string;
      meta?: { contract?: { engine: Engine['name']; case: string } };
    }[];
  }[];
}

/** Returns the contract cases in one of vitest's JSON reports; other tests are ignored. */
export function resultsIn(report: string): CaseResult[] {
  const { testResults }: VitestReport = JSON.parse(report);
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ status, meta }) => {
      if (meta?.contract === undefined) return [];
      return [{ ...meta.contract, status: status === 'passed' || status === 'failed' ? status : 'skipped' }];
    }),
  );
}

/** Returns one line per engine with the number of cases that ran, failed and were skipped. */
export function summary(results: readonly CaseResult[]): string[] {
  const count = (engine: string, status: string) =>
    results.filter((each) => each.engine === engine && each.status === status).length;
  return enginesIn(results).map((engine) => {
    const failed = count(engine, 'failed');
    const skipped = count(engine, 'skipped');
    const left = skipped === 0 ? '' : `, ${skipped} left out because there is no kubectl`;
    return `contract: ${count(engine, 'passed') + failed} cases ran on ${engine}, ${failed} of them failed${left}`;
  });
}

/** Returns cases that ran on one engine only without being listed, and listed differences that did not run. */
export function disagreements(results: readonly CaseResult[], differences: readonly Difference[]): string[] {
  const engines = enginesIn(results);
  if (engines.length < 2) return [];
  const ran = new Map<string, Set<string>>();
  for (const { engine, case: name, status } of results)
    if (status !== 'skipped') ran.set(name, (ran.get(name) ?? new Set()).add(engine));
  const listed = new Map(differences.map((difference) => [difference.case, difference.only]));
  const oneSided = [...ran].flatMap(([name, where]) => {
    const [only] = where;
    if (where.size > 1 || only === undefined || listed.get(name) === only) return [];
    return [
      `'${name}' ran on ${only} only; list it in packages/local-cluster/test/contract/api/differences.ts, or run it on both`,
    ];
  });
  const idle = differences.flatMap(({ case: name, only }) =>
    ran.get(name)?.has(only) ? [] : [`'${name}' is listed as a difference, and did not run on ${only}`],
  );
  return [...oneSided, ...idle];
}

function enginesIn(results: readonly CaseResult[]): string[] {
  return [...new Set(results.map(({ engine }) => engine))].sort();
}
