import type { WatchEvent } from '@trimtab/kube/wire.ts';
import { type EventFault, type Injection, isEventFault, type Match, type RequestFault } from './faults.ts';
import { drawFor } from './prng.ts';
import { isWrite, type RequestInfo } from './request-info.ts';

export interface EventInfo {
  type: WatchEvent['type'];
  namespace?: string;
  name?: string;
}

/** One injection and its firings. */
export interface Rule {
  readonly id: number;
  readonly injection: Injection;
  /** Number of requests or events that matched `when`, ignoring nth and probability. */
  seen: number;
  /** The request or event of each firing, in order. */
  readonly fired: string[];
  readonly counts: Map<string, number>;
}

/**
 * Decides which requests and events get which fault. Every matching rule counts the match; the first rule that is due
 * fires. The plan does not depend on time: the same requests in the same order get the same faults.
 */
export class Plan {
  readonly #seed: number;
  readonly #rules: Rule[] = [];
  #lastId = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  add(injection: Injection): Rule {
    const rule: Rule = { id: ++this.#lastId, injection, seen: 0, fired: [], counts: new Map() };
    this.#rules.push(rule);
    return rule;
  }

  /** Stops a rule from firing. Its firings stay in the report. */
  retire(id: number): void {
    const rule = this.#rules.find((candidate) => candidate.id === id);
    if (rule) this.#retired.add(rule);
  }

  readonly #retired = new WeakSet<Rule>();

  forRequest(request: RequestInfo): { rule: Rule; fault: RequestFault } | undefined {
    let chosen: { rule: Rule; fault: RequestFault } | undefined;
    for (const rule of this.#rules) {
      const { when, fault } = rule.injection;
      if (isEventFault(fault) || !matchesRequest(when, request)) continue;
      if (this.#isItsTurn(rule, `${request.verb} ${request.resource}`)) chosen ??= { rule, fault };
    }
    return chosen;
  }

  forEvent(watch: RequestInfo, event: EventInfo): { rule: Rule; fault: EventFault } | undefined {
    let chosen: { rule: Rule; fault: EventFault } | undefined;
    for (const rule of this.#rules) {
      const { when, fault } = rule.injection;
      if (!isEventFault(fault) || !matchesEvent(when, watch, event)) continue;
      if (this.#isItsTurn(rule, `${event.type} ${watch.resource}`)) chosen ??= { rule, fault };
    }
    return chosen;
  }

  #isItsTurn(rule: Rule, kind: string): boolean {
    const { nth = 1, probability } = rule.injection.when;
    const times = rule.injection.times ?? (probability === undefined ? 1 : Number.POSITIVE_INFINITY);
    rule.seen += 1;
    const count = (rule.counts.get(kind) ?? 0) + 1;
    rule.counts.set(kind, count);
    if (this.#retired.has(rule) || rule.seen < nth || rule.fired.length >= times) return false;
    return probability === undefined || drawFor(this.#seed, `${rule.id} ${kind}`, count) < probability;
  }
}

function matchesRequest(when: Match, request: RequestInfo): boolean {
  if (when.verb === 'write' ? !isWrite(request) : when.verb !== undefined && when.verb !== request.verb)
    return false;
  return (
    (when.resource === undefined || when.resource === request.resource) &&
    (when.subresource === undefined || when.subresource === (request.subresource ?? '')) &&
    (when.namespace === undefined || when.namespace === request.namespace) &&
    (when.name === undefined || when.name === request.name) &&
    matchesSite(when.site, request.site)
  );
}

function matchesSite(wanted: string | undefined, site: string | undefined): boolean {
  return wanted === undefined || (wanted === '*' ? site !== undefined : wanted === site);
}

function matchesEvent(when: Match, watch: RequestInfo, event: EventInfo): boolean {
  return (
    (when.event === undefined ? event.type !== 'BOOKMARK' : when.event === event.type) &&
    (when.resource === undefined || when.resource === watch.resource) &&
    (when.namespace === undefined || when.namespace === event.namespace) &&
    (when.name === undefined || when.name === event.name)
  );
}
