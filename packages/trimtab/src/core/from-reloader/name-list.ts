import type { Parsed } from '../workload/opt-in.ts';
import { entriesOf } from './annotations.ts';
import { type NameMatcher, namePattern, StepBudget } from './name-pattern.ts';

/** A name of a config, or a regular expression of names. */
interface NameEntry {
  text: string;
  /** Undefined when the entry is not valid. */
  matches: NameMatcher | undefined;
}

const maxEntries = 100;

/** Steps of all patterns times characters of all names, which bounds the time to match them to a fraction of a second. */
const maxCost = 4_000_000;

const allowed = 'names or regular expressions of names';

/**
 * Parses a list of Reloader to be matched with these names. Anyone who may annotate a workload writes it, so a list that
 * could occupy the controller has a problem: what is valid, for a message. Then none of its entries count.
 */
export function parseNameList(text: string | undefined, names: readonly string[]): Parsed<NameEntry[]> {
  const texts = entriesOf(text);
  const budget = new StepBudget();
  const entries = texts
    .slice(0, maxEntries)
    .map((entry) => ({ text: entry, matches: namePattern(entry, budget) }));
  if (texts.length > maxEntries || budget.isExceeded)
    return {
      problem: `${allowed}: at most ${maxEntries} entries, with regular expressions of at most ${StepBudget.max} characters in all, repetitions counted`,
    };
  const characters = names.reduce((sum, name) => sum + name.length, 0);
  if (budget.taken * characters <= maxCost) return { value: entries };
  return {
    problem: `${allowed}: shorter regular expressions, because the pod template references ${names.length} names`,
  };
}
