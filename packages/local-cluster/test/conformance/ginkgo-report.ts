/** What became of one spec. */
export interface Outcome {
  passed: boolean;
  seconds: number;
  /** The first lines of why it failed; empty when it passed. */
  message: string;
}

interface SpecReport {
  ContainerHierarchyTexts: string[] | null;
  LeafNodeType: string;
  LeafNodeText: string;
  State: string;
  RunTime: number;
  Failure?: { Message?: string };
}

const nanosecondsInSecond = 1e9;
const messageLength = 300;

/** Every spec that the program knows, by its full name; those that did not run have no outcome. */
export function readGinkgoReport(text: string): Map<string, Outcome | undefined> {
  const suites = JSON.parse(text) as { SpecReports: SpecReport[] | null }[];
  const specs = suites.flatMap(({ SpecReports }) => SpecReports ?? []);
  return new Map(
    specs
      .filter(({ LeafNodeType }) => LeafNodeType === 'It')
      .map((spec) => [
        [...(spec.ContainerHierarchyTexts ?? []), spec.LeafNodeText].join(' '),
        outcomeOf(spec),
      ]),
  );
}

/** What failed before or after all specs: then the outcomes of specs mean little. */
export function failuresOutsideOfSpecs(text: string): string[] {
  const suites = JSON.parse(text) as { SpecReports: SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType !== 'It' && !['passed', 'skipped'].includes(State))
    .map((spec) => `${spec.LeafNodeType}: ${messageOf(spec)}`);
}

/** A spec that skips itself while it runs was asked for and shows nothing: it did not pass. */
function outcomeOf(spec: SpecReport): Outcome | undefined {
  if (spec.State === 'pending' || (spec.State === 'skipped' && spec.RunTime === 0)) return undefined;
  const passed = spec.State === 'passed';
  return {
    passed,
    seconds: spec.RunTime / nanosecondsInSecond,
    message: passed ? '' : `${spec.State}: ${messageOf(spec)}`,
  };
}

function messageOf({ Failure }: SpecReport): string {
  const line = (Failure?.Message ?? 'no message').replace(/\s+/g, ' ').trim();
  return line.length > messageLength ? `${line.slice(0, messageLength)}…` : line;
}
