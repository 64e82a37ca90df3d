import { expect, test } from 'vitest';
import { failuresOutsideOfSpecs, readGinkgoReport } from './ginkgo-report.ts';

const spec = (State: string, more: object = {}) => ({
  ContainerHierarchyTexts: ['[sig-x] Watchers', 'when slow'],
  LeafNodeType: 'It',
  LeafNodeText: 'should watch',
  State,
  RunTime: 1_500_000_000,
  ...more,
});
const report = (...specs: object[]) => JSON.stringify([{ SpecReports: specs }]);
const name = '[sig-x] Watchers when slow should watch';

test('a spec that passed has its full name and its seconds', () => {
  expect([...readGinkgoReport(report(spec('passed')))]).toEqual([
    [name, { passed: true, seconds: 1.5, message: '' }],
  ]);
});

test.each(['failed', 'timedout', 'panicked', 'interrupted', 'skipped'])(
  'a spec that is %s did not pass',
  (state) => {
    const outcomes = readGinkgoReport(report(spec(state, { Failure: { Message: 'no\n  such thing' } })));
    expect(outcomes.get(name)).toEqual({ passed: false, seconds: 1.5, message: `${state}: no such thing` });
  },
);

test('a spec that nobody asked for is known, and has no outcome', () => {
  const outcomes = readGinkgoReport(report(spec('skipped', { RunTime: 0 })));
  expect([...outcomes]).toEqual([[name, undefined]]);
});

test('what fails around the specs is told, and is no spec', () => {
  const text = report(
    spec('failed', { LeafNodeType: 'SynchronizedBeforeSuite', Failure: { Message: 'no cluster' } }),
    spec('passed', { LeafNodeType: 'ReportAfterSuite' }),
  );
  expect(failuresOutsideOfSpecs(text)).toEqual(['SynchronizedBeforeSuite: no cluster']);
  expect(readGinkgoReport(text).size).toBe(0);
});

test('a run without specs is an empty report', () => {
  expect(readGinkgoReport('[{"SpecReports":null}]').size).toBe(0);
});
