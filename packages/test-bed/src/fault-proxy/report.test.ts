import { expect, test } from 'vitest';
import { assertAllFired, describeReport, type RuleReport } from './report.ts';

const fired: RuleReport = {
  id: 1,
  injection: { when: { verb: 'write', nth: 2 }, fault: { kind: 'fail-after' } },
  seen: 3,
  fired: ['patch configmaps ns/foo (server answered 200)'],
};
const idle: RuleReport = {
  id: 2,
  injection: { when: { resource: 'secrets' }, fault: { kind: 'status', code: 503 } },
  seen: 0,
  fired: [],
};

test('the report tells what fired and what never did', () => {
  expect(describeReport(42, [fired, idle])).toBe(
    'faults, seed 42:\n' +
      '  #1 fail-after when verb=write nth=2: fired 1 times (patch configmaps ns/foo (server answered 200))\n' +
      '  #2 status code=503 when resource=secrets: never fired: nothing matched',
  );
});

test('a fault that never fired fails the test that injected it', () => {
  expect(() => assertAllFired(42, [fired])).not.toThrow();
  expect(() => assertAllFired(42, [fired, idle])).toThrow(/never fired: nothing matched/);
  expect(() => assertAllFired(42, [])).toThrow(/No fault was injected/);
});
