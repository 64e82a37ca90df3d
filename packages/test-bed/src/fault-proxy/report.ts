import type { Injection } from './faults.ts';
import type { Rule } from './plan.ts';

/** What became of one injection. */
export interface RuleReport {
  id: number;
  injection: Injection;
  /** How many requests or events it could have met. */
  seen: number;
  /** What each firing hit, in order. */
  fired: string[];
}

export function reportOn(rules: readonly Rule[]): RuleReport[] {
  return rules.map(({ id, injection, seen, fired }) => ({ id, injection, seen, fired: [...fired] }));
}

/** One line for each rule, for the output of a test run. */
export function describeReport(seed: number, rules: readonly RuleReport[]): string {
  const lines = rules.map((rule) => {
    const what = `#${rule.id} ${describeInjection(rule.injection)}`;
    const never = rule.seen === 0 ? 'never fired: nothing matched' : `never fired: ${rule.seen} matched`;
    return rule.fired.length === 0
      ? `${what}: ${never}`
      : `${what}: fired ${rule.fired.length} times (${rule.fired.join('; ')})`;
  });
  return [`faults, seed ${seed}:`, ...lines].join('\n  ');
}

/** A test in which a fault did not happen proves nothing about it: throws, and says which ones. */
export function assertAllFired(seed: number, rules: readonly RuleReport[]): void {
  if (rules.length === 0) throw new Error('No fault was injected, so none can have fired.');
  if (rules.some((rule) => rule.fired.length === 0))
    throw new Error(
      `Not every injected fault fired, so the test did not show what it claims.\n${describeReport(seed, rules)}`,
    );
}

function describeInjection({ fault, when }: Injection): string {
  const { kind, ...settings } = fault;
  return [kind, ...pairs(settings), 'when', ...pairs(when)].join(' ');
}

function pairs(values: object): string[] {
  return Object.entries(values).map(([key, value]) => `${key}=${value}`);
}
