import type { Outcome } from './ginkgo-report.ts';

/** Specs by the common prefix of their names. */
export type Specs = Readonly<Record<string, readonly string[]>>;

/** Specs that share a reason. */
export interface Reasoned {
  because: string;
  specs: Specs;
}

export interface Lists {
  mustPass: Specs;
  cannotApply: readonly Reasoned[];
  failsYet: readonly Reasoned[];
  /** Every spec for which this returns true must be in a list. */
  concerns(name: string): boolean;
}

export interface Row {
  name: string;
  result: 'pass' | 'fail' | 'fails yet' | 'cannot apply' | 'left out';
  /** Duration of a spec that ran. */
  seconds?: number;
  /** Why the spec does not pass or cannot apply. */
  note: string;
  /** Whether the result contradicts the lists, which fails the run. */
  wrong: boolean;
}

export function namesOf(specs: Specs): string[] {
  return Object.entries(specs).flatMap(([container, texts]) => texts.map((text) => `${container} ${text}`));
}

/** Names of the specs to run: those that must pass, and those that are expected to fail. */
export function namesToRun({ mustPass, failsYet }: Lists): string[] {
  return [...namesOf(mustPass), ...failsYet.flatMap(({ specs }) => namesOf(specs))];
}

/**
 * Compares a run with the lists. `known` has all specs of the program and the outcomes of those that ran; `chosen` has
 * the names of the specs that were selected to run.
 */
export function judge(
  lists: Lists,
  known: ReadonlyMap<string, Outcome | undefined>,
  chosen: ReadonlySet<string> = new Set(namesToRun(lists)),
): Row[] {
  const listed = new Set<string>();
  const rows: Row[] = [];
  const add = (name: string, row: Omit<Row, 'name'>) => {
    if (listed.has(name))
      rows.push({ name, result: 'fail', note: 'listed twice in test/conformance/specs.ts', wrong: true });
    else if (!known.has(name))
      rows.push({ name, result: 'fail', note: 'this version of Kubernetes has no such spec', wrong: true });
    else rows.push({ name, ...row });
    listed.add(name);
  };
  for (const name of namesOf(lists.mustPass))
    add(name, chosen.has(name) ? judgeOne(known.get(name)) : leftOut);
  for (const { because, specs } of lists.failsYet)
    for (const name of namesOf(specs))
      add(name, chosen.has(name) ? judgePending(known.get(name), because) : leftOut);
  for (const { because, specs } of lists.cannotApply)
    for (const name of namesOf(specs)) add(name, { result: 'cannot apply', note: because, wrong: false });
  for (const name of known.keys())
    if (lists.concerns(name) && !listed.has(name))
      rows.push({
        name,
        result: 'fail',
        note: 'missing from the lists in test/conformance/specs.ts',
        wrong: true,
      });
  return rows;
}

const leftOut: Omit<Row, 'name'> = { result: 'left out', note: 'runs in npm run test:long', wrong: false };

function judgeOne(outcome: Outcome | undefined): Omit<Row, 'name'> {
  if (outcome === undefined) return { result: 'fail', note: 'did not run', wrong: true };
  const { passed, seconds, message } = outcome;
  return { result: passed ? 'pass' : 'fail', seconds, note: message, wrong: !passed };
}

function judgePending(outcome: Outcome | undefined, because: string): Omit<Row, 'name'> {
  if (outcome === undefined) return { result: 'fail', note: 'did not run', wrong: true };
  const { passed, seconds } = outcome;
  if (!passed) return { result: 'fails yet', seconds, note: because, wrong: false };
  const note = 'passes now; move it to mustPass in test/conformance/specs.ts';
  return { result: 'pass', seconds, note, wrong: true };
}
