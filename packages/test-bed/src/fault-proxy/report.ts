import type { Injection } from './faults.ts';
import type { Rule } from './plan.ts';

/** The firings of one injection. */
export interface RuleReport {
  id: number;
  injection: Injection;
  /** Number of requests or events that matched. */
  seen: number;
  /** The request or event of each firing, in order. */
  fired: string[];
}

export function reportOn(rules: readonly Rule[]): RuleReport[] {
  return rules.map(({ id, injection, seen, fired }) => ({ id, injection, seen, fired: [...fired] }));
}

/** Describes each rule in one line, for the output of a test run. */
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

/** Throws and lists the rules when a fault never fired: such a test proves nothing about the fault. */
export function assertAllFired(seed: number, rules: readonly RuleReport[]): void {
  if (rules.length === 0) throw new Error('No fault was injected');
  if (rules.some((rule) => rule.fired.length === 0))
    throw new Error(
      `Not every injected fault fired, so the test does not prove its claim.\n${describeReport(seed, rules)}`,
    );
}

function describeInjection({ fault, when }: Injection): string {
  const { kind, ...settings } = fault;
  return [kind, ...pairs(settings), 'when', ...pairs(when)].join(' ');
}

function pairs(values: object): string[] {
  return Object.entries(values).map(([key, value]) => `${key}=${value}`);
}
