/** The outcome of one spec. */
export interface Outcome {
  passed: boolean;
  seconds: number;
  /** The beginning of the failure message; empty when the spec passed. */
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

/** All specs of the program by full name. Specs that did not run have no outcome. */
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

/** Failures before or after all specs, which make the outcomes of the specs unreliable. */
export function failuresOutsideOfSpecs(text: string): string[] {
  const suites = JSON.parse(text) as { SpecReports: SpecReport[] | null }[];
  return suites
    .flatMap(({ SpecReports }) => SpecReports ?? [])
    .filter(({ LeafNodeType, State }) => LeafNodeType !== 'It' && !['passed', 'skipped'].includes(State))
    .map((spec) => `${spec.LeafNodeType}: ${messageOf(spec)}`);
}

/** A selected spec that skips itself while it runs proves nothing, so it counts as not passed. */
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
