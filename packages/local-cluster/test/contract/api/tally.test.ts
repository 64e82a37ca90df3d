import { expect, test } from 'vitest';
import { type CaseResult, disagreements, resultsIn, summary } from './tally.ts';

const ran = (engine: CaseResult['engine'], name: string, status: CaseResult['status'] = 'passed') => ({
  engine,
  case: name,
  status,
});

test('a report is read for its contract cases, and other tests do not count', () => {
  const assertionResults = [
    { status: 'passed', meta: { contract: { engine: 'local', case: 'lists: a' } } },
    { status: 'pending', meta: { contract: { engine: 'local', case: 'kubectl: b' } } },
    { status: 'passed', meta: {} },
  ];
  expect(resultsIn(JSON.stringify({ testResults: [{ assertionResults }] }))).toEqual([
    ran('local', 'lists: a'),
    ran('local', 'kubectl: b', 'skipped'),
  ]);
});

test('the run tells how many cases ran on each engine', () => {
  const results = [
    ran('local', 'a'),
    ran('kubernetes', 'a', 'failed'),
    ran('kubernetes', 'b'),
    ran('local', 'b', 'skipped'),
  ];
  expect(summary(results)).toEqual([
    'contract: 2 cases ran on kubernetes, 1 of them failed',
    'contract: 1 cases ran on local, 0 of them failed, 1 left out because there is no kubectl',
  ]);
});

test('a case that ran on one engine only is a disagreement, unless it is listed', () => {
  const results = [ran('local', 'a'), ran('kubernetes', 'a'), ran('kubernetes', 'b'), ran('kubernetes', 'c')];
  const listed = [{ case: 'c', only: 'kubernetes', because: 'it needs etcd' }] as const;
  expect(disagreements(results, listed)).toEqual([
    "'b' ran on kubernetes only; list it in packages/local-cluster/test/contract/api/differences.ts, or run it on both",
  ]);
});

test('a difference that did not run where it should is a disagreement, too', () => {
  const listed = [{ case: 'gone', only: 'local', because: 'once upon a time' }] as const;
  expect(disagreements([ran('local', 'a'), ran('kubernetes', 'a')], listed)).toEqual([
    "'gone' is listed as a difference, and did not run on local",
  ]);
});

test('one engine alone has nobody to disagree with', () => {
  expect(disagreements([ran('local', 'a')], [])).toEqual([]);
});
