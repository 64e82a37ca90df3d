import type { Target } from './target.ts';

interface CaseOptions {
  /** Left out where there is no kubectl; the run says so. */
  needs?: 'kubectl';
  timeoutMs?: number;
}

interface Case {
  name: string;
  body: (target: Target) => Promise<void>;
  options: CaseOptions;
}

export type Register = (name: string, body: Case['body'], options?: CaseOptions) => void;

interface ContractOptions {
  /** The cases share nothing that they change, and most of their time is waiting: they run at the same time. */
  atOnce?: boolean;
  /** Of cases that have none of their own. */
  timeoutMs?: number;
}

/** One area of the API, as cases that hold on every engine. */
export interface Contract {
  area: string;
  cases: readonly Case[];
  options: ContractOptions;
}

/**
 * Writes a contract down without running it: which engine it runs on is chosen by the test file that hands it to
 * `holdsOn`.
 */
export function contract(
  area: string,
  register: (it: Register) => void,
  options: ContractOptions = {},
): Contract {
  const cases: Case[] = [];
  register((name, body, options = {}) => {
    if (cases.some((each) => each.name === name))
      throw new Error(`The contract '${area}' has two cases '${name}': the tally could not tell them apart.`);
    cases.push({ name, body, options });
  });
  return { area, cases, options };
}
