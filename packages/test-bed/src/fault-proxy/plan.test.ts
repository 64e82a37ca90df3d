import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Injection } from './faults.ts';
import { type EventInfo, Plan } from './plan.ts';
import { randomPlan } from './random-plan.ts';
import { requestInfo } from './request-info.ts';

const update = (name: string) => requestInfo('PUT', `/api/v1/namespaces/ns/configmaps/${name}`);
const watch = requestInfo('GET', '/api/v1/configmaps?watch=true');
const modified = (name: string): EventInfo => ({ type: 'MODIFIED', namespace: 'ns', name });

/** The positions, from 1, of the requests that get a fault. */
function hits(plan: Plan, requests: ReturnType<typeof update>[]): number[] {
  return requests.flatMap((request, index) => {
    const hit = plan.forRequest(request);
    hit?.rule.fired.push('hit');
    return hit ? [index + 1] : [];
  });
}

const planOf = (seed: number, ...injections: Injection[]) => {
  const plan = new Plan(seed);
  for (const injection of injections) plan.add(injection);
  return plan;
};

describe('a rule', () => {
  const five = Array.from({ length: 5 }, () => update('foo'));

  test('fires once, at the first match, unless told otherwise', () => {
    expect(hits(planOf(1, { when: { verb: 'update' }, fault: { kind: 'fail-before' } }), five)).toEqual([1]);
  });

  test('for the n-th write counts only writes that match', () => {
    const plan = planOf(1, { when: { verb: 'write', name: 'foo', nth: 2 }, fault: { kind: 'fail-after' } });
    const read = requestInfo('GET', '/api/v1/namespaces/ns/configmaps/foo');
    expect(hits(plan, [update('foo'), read, update('bar'), update('foo'), update('foo')])).toEqual([4]);
  });

  test('for a site meets only writes that have this name; * is any that has one', () => {
    const named = (site: string) => ({ ...update('foo'), site });
    const requests = [update('foo'), named('label'), named('status'), named('label')];
    const fault = { kind: 'fail-before' } as const;
    expect(hits(planOf(1, { when: { site: 'label', nth: 2 }, fault }), requests)).toEqual([4]);
    expect(hits(planOf(1, { when: { site: '*' }, fault, times: 9 }), requests)).toEqual([2, 3, 4]);
  });

  test('fires several times when it may', () => {
    const injection: Injection = { when: { nth: 2 }, fault: { kind: 'status', code: 500 }, times: 3 };
    expect(hits(planOf(1, injection), five)).toEqual([2, 3, 4]);
  });

  test('of another resource, namespace, name or subresource does not fire', () => {
    const fault = { kind: 'fail-before' } as const;
    for (const when of [
      { resource: 'secrets' },
      { namespace: 'other' },
      { name: 'bar' },
      { subresource: 'status' },
      { verb: 'create' as const },
    ])
      expect(hits(planOf(1, { when, fault }), five)).toEqual([]);
  });

  test('that is retired fires no more', () => {
    const plan = planOf(1);
    const rule = plan.add({ when: {}, fault: { kind: 'fail-before' }, times: 9 });
    plan.forRequest(update('foo'))?.rule.fired.push('hit');
    plan.retire(rule.id);
    expect(hits(plan, five)).toEqual([]);
    expect(rule.fired).toEqual(['hit']);
  });

  test('comes after an earlier one that has its turn, and still counts what it saw', () => {
    const plan = planOf(
      1,
      { when: { nth: 1 }, fault: { kind: 'status', code: 503 } },
      { when: { nth: 2 }, fault: { kind: 'status', code: 500 } },
    );
    const codes = five.map((request) => {
      const hit = plan.forRequest(request);
      hit?.rule.fired.push('hit');
      return hit?.fault.kind === 'status' ? hit.fault.code : 0;
    });
    expect(codes).toEqual([503, 500, 0, 0, 0]);
  });
});

describe('a rule for events', () => {
  test('looks at the object in the event, and leaves bookmarks alone', () => {
    const plan = planOf(1, { when: { name: 'foo' }, fault: { kind: 'repeat-event' } });
    expect(plan.forEvent(watch, { type: 'BOOKMARK' })).toBeUndefined();
    expect(plan.forEvent(watch, modified('bar'))).toBeUndefined();
    expect(plan.forEvent(watch, modified('foo'))?.fault).toEqual({ kind: 'repeat-event' });
  });

  test('never meets a request, nor a rule for requests an event', () => {
    const plan = planOf(1, { when: {}, fault: { kind: 'end-watch' } });
    expect(plan.forRequest(watch)).toBeUndefined();
    expect(
      planOf(1, { when: {}, fault: { kind: 'fail-before' } }).forEvent(watch, modified('a')),
    ).toBeUndefined();
  });
});

describe('chance', () => {
  const injection: Injection = { when: { probability: 0.3 }, fault: { kind: 'fail-before' } };

  test('comes from the seed alone', () => {
    const requests = Array.from({ length: 200 }, () => update('foo'));
    const first = hits(planOf(7, injection), requests);
    expect(first).toEqual(hits(planOf(7, injection), requests));
    expect(first).not.toEqual(hits(planOf(8, injection), requests));
    expect(first.length).toBeGreaterThan(30);
    expect(first.length).toBeLessThan(90);
  });

  test('of one kind of request does not depend on others that come in between', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.boolean(), { maxLength: 60 }), (seed, interleaving) => {
        const secret = requestInfo('GET', '/api/v1/namespaces/ns/secrets/s');
        const plan = planOf(seed, injection);
        const alone = planOf(seed, injection);
        const mixed: boolean[] = [];
        for (const isOurs of interleaving) {
          const hit = plan.forRequest(isOurs ? update('foo') : secret) !== undefined;
          if (isOurs) mixed.push(hit);
        }
        expect(mixed).toEqual(mixed.map(() => alone.forRequest(update('foo')) !== undefined));
      }),
    );
  });
});

test('a random plan is the same for the same seed, and each of its faults is bounded', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const plan = randomPlan(seed, ['configmaps', 'secrets']);
      expect(plan).toEqual(randomPlan(seed, ['configmaps', 'secrets']));
      expect(plan).toHaveLength(10);
      for (const injection of plan) expect(injection.times).toBeLessThanOrEqual(3);
    }),
  );
});
