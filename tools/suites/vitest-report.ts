/** The fields of vitest's JSON report that are read here. The other fields are kept unchanged. */
export interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: FileResult[];
}

interface FileResult {
  /** The path of the test file. */
  name: string;
  /** Also `failed` when the file could not be loaded or a hook failed; then no test has failed. */
  status: string;
  assertionResults: { ancestorTitles: string[]; title: string; status: string }[];
}

/** Paths of the test files that failed. */
export function failedFiles({ testResults }: VitestReport): string[] {
  return testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
}

/** Whether a file failed without a failed test: the file could not be loaded, or a hook failed. */
export function hasFailedOutsideOfTests({ testResults }: VitestReport): boolean {
  return testResults.some(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  );
}

/** More failed files than this have a common cause, so running them again would only take time. */
const mostRepeated = 10;

/** Paths of the test files to run once more. */
export function filesToRepeat(report: VitestReport): string[] {
  const files = failedFiles(report);
  return files.length > mostRepeated ? [] : files;
}

/** Returns the first report, with the results of repeated files replaced by those of the second run. */
export function withSecondResults(first: VitestReport, second: VitestReport): VitestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  const testResults = first.testResults.map((file) => {
    const repeated = again.get(file.name);
    return repeated !== undefined && tellsOfFailures(repeated, file) ? repeated : file;
  });
  const count = (...statuses: string[]) =>
    testResults.flatMap((file) => file.assertionResults.filter(({ status }) => statuses.includes(status)))
      .length;
  return {
    ...first,
    numPassedTests: count('passed'),
    numFailedTests: count('failed'),
    numPendingTests: count('skipped', 'pending', 'disabled'),
    numTodoTests: count('todo'),
    testResults,
  };
}

/** Whether each failed test ran again. A test that was skipped in the second run has not passed. */
function tellsOfFailures(repeated: FileResult, { name, assertionResults }: FileResult): boolean {
  const ran = repeated.assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
  const names = new Set(ran.map((result) => nameOf(name, result)));
  return (
    ran.length > 0 &&
    assertionResults.every((result) => result.status !== 'failed' || names.has(nameOf(name, result)))
  );
}

/** Returns what failed first and passed alone: tests with their file, or files that failed outside of their tests. */
export function flakyNames(first: VitestReport, second: VitestReport): string[] {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return first.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const { name, assertionResults } = file;
      const repeated = again.get(name);
      if (repeated === undefined || !tellsOfFailures(repeated, file)) return [];
      const named = (wanted: string, results: FileResult['assertionResults']) =>
        results.filter(({ status }) => status === wanted).map((result) => nameOf(name, result));
      const failed = named('failed', assertionResults);
      if (failed.length === 0) return repeated.status === 'passed' ? [name] : [];
      const passed = new Set(named('passed', repeated.assertionResults));
      return failed.filter((each) => passed.has(each));
    });
}

/** The name in the format of vitest's output. */
function nameOf(file: string, { ancestorTitles, title }: FileResult['assertionResults'][number]): string {
  return [file, ...ancestorTitles.filter((each) => each !== ''), title].join(' > ');
}
