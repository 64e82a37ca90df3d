import { chosenEngine } from './engine-under-test.ts';
import { holdsOn } from './holds-on.ts';
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
  /** What the cases need of a local cluster: none unless told, simulated ones, or processes of this machine. */
  pods?: 'simulated' | 'real';
}

/** One area of the API, as cases that hold on every engine. */
export interface Contract {
  area: string;
  cases: readonly Case[];
  options: ContractOptions;
}

/** Every contract that was written down in this process. */
export const writtenContracts: Contract[] = [];

/**
 * Writes a contract down, and makes its cases tests on the engine that this run is for (TRIMTAB_ENGINE, which vitest.config.ts
 * sets). Where there is none, nothing runs.
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
