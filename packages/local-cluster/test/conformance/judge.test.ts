import { expect, test } from 'vitest';
import type { Outcome } from './ginkgo-report.ts';
import { judge, type Lists } from './judge.ts';

const passed: Outcome = { passed: true, seconds: 1, message: '' };
const failed: Outcome = { passed: false, seconds: 2, message: 'failed: no such thing' };

const lists: Lists = {
  mustPass: { '[sig-x] Watchers': ['should watch'] },
  failsYet: [{ because: 'it is not there yet', specs: { '[sig-x] Apply': ['should apply'] } }],
  cannotApply: [{ because: 'there are no pods', specs: { '[sig-x] Pods': ['should run'] } }],
  concerns: (name) => name.startsWith('[sig-x] '),
};

const asListed: [string, Outcome | undefined][] = [
  ['[sig-x] Watchers should watch', passed],
  ['[sig-x] Apply should apply', failed],
  ['[sig-x] Pods should run', undefined],
  ['[sig-y] Nobody asked for this', undefined],
];

/** The problems of a run in which some specs ended differently from the lists. */
function wrong(changes: [string, Outcome | undefined][], without?: string): string[] {
  const known = new Map([...asListed, ...changes].filter(([name]) => name !== without));
  return judge(lists, known)
    .filter((row) => row.wrong)
    .map(({ name, note }) => `${name}: ${note}`);
}

test('a run that ends as listed is right, and says why a spec does not pass', () => {
  expect(wrong([])).toEqual([]);
  expect(judge(lists, new Map(asListed)).map(({ result, note }) => `${result}: ${note}`)).toEqual([
    'pass: ',
    'fails yet: it is not there yet',
    'cannot apply: there are no pods',
  ]);
});

test('a spec that must pass and fails is wrong, with its reason', () => {
  expect(wrong([['[sig-x] Watchers should watch', failed]])).toEqual([
    '[sig-x] Watchers should watch: failed: no such thing',
  ]);
});

test('a spec that must pass and did not run is wrong', () => {
  expect(wrong([['[sig-x] Watchers should watch', undefined]])).toEqual([
    '[sig-x] Watchers should watch: did not run',
  ]);
});

test('a spec that begins to pass is wrong until it is moved', () => {
  expect(wrong([['[sig-x] Apply should apply', passed]])).toEqual([
    '[sig-x] Apply should apply: passes now; move it to mustPass in test/conformance/specs.ts',
  ]);
});

test('a spec that Kubernetes does not have any more is wrong', () => {
  expect(wrong([], '[sig-x] Pods should run')).toEqual([
    '[sig-x] Pods should run: this version of Kubernetes has no such spec',
  ]);
});

test('a spec that concerns us and is in no list is wrong', () => {
  expect(wrong([['[sig-x] News should be listed', undefined]])).toEqual([
    '[sig-x] News should be listed: missing from the lists in test/conformance/specs.ts',
  ]);
});

test('a spec that must pass and was not chosen is left out, which is not wrong', () => {
  const [row] = judge(lists, new Map([['[sig-x] Watchers should watch', undefined]]), new Set());
  expect(row).toMatchObject({ result: 'left out', wrong: false });
});

test('a spec cannot be in two lists', () => {
  const twice = { ...lists, cannotApply: [{ because: 'of this', specs: lists.mustPass }] };
  expect(judge(twice, new Map(asListed)).find((row) => row.wrong)).toMatchObject({
    name: '[sig-x] Watchers should watch',
    note: 'listed twice in test/conformance/specs.ts',
  });
});
