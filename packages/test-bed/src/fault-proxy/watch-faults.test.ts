import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventFault } from './faults.ts';
import { eventInfo, type Step, WatchFaults } from './watch-faults.ts';

const line = (name: string) =>
  JSON.stringify({ type: 'MODIFIED', object: { kind: 'ConfigMap', metadata: { namespace: 'ns', name } } });
const abc = [line('a'), line('b'), line('c')];

/** The steps for the client when `fault` is applied to the event of `b`. */
function played(fault: EventFault): { steps: Step[]; fired: number } {
  let fired = 0;
  const faults = new WatchFaults((event) =>
    event.name === 'b' ? { fault, fired: () => fired++ } : undefined,
  );
  const steps = [...abc.flatMap((text) => faults.next(text)), ...faults.flush()];
  for (const step of steps) if (step.do === 'stall') step.entered();
  return { steps, fired };
}

const summary = (steps: Step[]) =>
  steps.map((step) =>
    step.do === 'send' ? (eventInfo(step.line).name ?? eventInfo(step.line).type) : step.do,
  );

describe('a fault at the middle one of three events', () => {
  test.each<[EventFault, string[]]>([
    [{ kind: 'delay-event', ms: 5 }, ['a', 'wait', 'b', 'c']],
    [{ kind: 'drop-event' }, ['a', 'c']],
    [{ kind: 'drop-event', thenCut: true }, ['a', 'cut', 'c']],
    [{ kind: 'repeat-event' }, ['a', 'b', 'b', 'c']],
    [{ kind: 'reorder-event' }, ['a', 'c', 'b']],
    [{ kind: 'cut-watch' }, ['a', 'cut', 'c']],
    [{ kind: 'end-watch' }, ['a', 'b', 'end', 'c']],
    [{ kind: 'expire-watch' }, ['a', 'ERROR', 'end', 'c']],
    [{ kind: 'stall-watch' }, ['a', 'stall', 'b', 'c']],
  ])('%j', (fault, expected) => {
    const { steps, fired } = played(fault);
    expect(summary(steps)).toEqual(expected);
    expect(fired).toBe(1);
  });

  test('can cut in the middle of a line', () => {
    const { steps } = played({ kind: 'cut-watch', midLine: true });
    const cut = steps.find((step) => step.do === 'cut');
    expect(line('b').startsWith(cut?.partial ?? 'none')).toBe(true);
    expect(cut?.partial.length).toBeGreaterThan(0);
    expect(cut?.partial.length).toBeLessThan(line('b').length);
  });
});

test('the last event has nothing to change places with, and that is not counted', () => {
  let fired = 0;
  const faults = new WatchFaults(() => ({ fault: { kind: 'reorder-event' }, fired: () => fired++ }));
  expect(faults.next(line('a'))).toEqual([]);
  expect(faults.holding).toBe(true);
  expect(summary(faults.flush())).toEqual(['a']);
  expect(fired).toBe(0);
});

test('repeating and reordering lose nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('none', 'repeat-event', 'reorder-event')), (kinds) => {
      let next = 0;
      const faults = new WatchFaults(() => {
        const kind = kinds[next++ % Math.max(1, kinds.length)];
        return kind === 'repeat-event' || kind === 'reorder-event'
          ? { fault: { kind }, fired() {} }
          : undefined;
      });
      const names = kinds.map((_, index) => `o${index}`);
      const steps = [...names.flatMap((name) => faults.next(line(name))), ...faults.flush()];
      expect(new Set(summary(steps))).toEqual(new Set(names));
    }),
  );
});

test('reads the name from the tables that kubectl asks for', () => {
  const table = {
    type: 'ADDED',
    object: { kind: 'Table', rows: [{ object: { metadata: { name: 'foo' } } }] },
  };
  expect(eventInfo(JSON.stringify(table))).toEqual({ type: 'ADDED', name: 'foo' });
});
