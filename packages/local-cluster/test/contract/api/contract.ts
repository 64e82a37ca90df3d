import { chosenEngine } from './engine-under-test.ts';
import { holdsOn } from './holds-on.ts';
import type { Target } from './target.ts';

interface CaseOptions {
  /** The case is skipped and reported as such when kubectl is not installed. */
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
  /** Run the cases concurrently: they share no mutable state and spend most of their time waiting. */
  atOnce?: boolean;
  /** Default for cases without a timeout. */
  timeoutMs?: number;
  /** Pods that the cases need in a local cluster: simulated ones or real processes; defaults to none. */
  pods?: 'simulated' | 'real';
}

/** One area of the API, as cases that must pass on every engine. */
export interface Contract {
  area: string;
  cases: readonly Case[];
  options: ContractOptions;
}

/** All contracts that were registered in this process. */
export const writtenContracts: Contract[] = [];

/**
 * Registers a contract, and registers its cases as tests on the engine of this run (TRIMTAB_ENGINE, which
 * vitest.config.ts sets). Without an engine, no test is registered.
 */
export function contract(
  area: string,
  register: (it: Register) => void,
  options: ContractOptions = {},
): void {
  const cases: Case[] = [];
  register((name, body, options = {}) => {
    if (cases.some((each) => each.name === name))
      throw new Error(`The contract '${area}' has two cases '${name}': the tally could not tell them apart.`);
    cases.push({ name, body, options });
  });
  const written = { area, cases, options };
  writtenContracts.push(written);
  const engine = chosenEngine(written);
  if (engine !== undefined) holdsOn(engine, written);
}
