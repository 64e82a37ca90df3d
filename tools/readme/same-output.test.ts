import { expect, test } from 'vitest';
import { showsOutput, withoutRunDetails } from './same-output.ts';

test.each([
  ['pod demo-7cc48bc8bb-ddg4c, container demo: failed', 'pod demo-5d4f6c9b7-x2x9z, container demo: failed'],
  ['1.0.1   current   5s    anna', '1.0.1   current   2m3s   anna'],
  ['current after 6 s', 'current after 12 s'],
  ['at 2026-01-01T10:00:00Z', 'at 2026-11-18T16:01:22.123Z'],
  [
    '└── demo-7cc48bc8bb-ddg4c   ✔ Ready\n',
    '├── demo-7cc48bc8bb-ddg4c   ✔ Ready\n└── demo-5d4f6c9b7-x2x9z   ⟳ Terminating   1.0.0\n',
  ],
  ['demo  http://127.0.0.1:8080', 'demo  http://127.0.0.1:34567'],
])('%s is the same as %s', (shown, seen) => {
  expect(withoutRunDetails(seen)).toBe(withoutRunDetails(shown));
});

test.each([
  ['1.0.1   current', '1.0.2   current'],
  ['rolled back after 6 s', 'current after 6 s'],
  ["exit code 1: colour 'blurple' unknown", "exit code 2: colour 'blurple' unknown"],
  ['3/3 pods', '2/3 pods'],
])('%s differs from %s', (shown, seen) => {
  expect(withoutRunDetails(seen)).not.toBe(withoutRunDetails(shown));
});

const seen = 'a\nb\nc\nd\ne\n';
test.each([
  [seen, true],
  ['…\nc\n…\n', true],
  ['a\n…\nc\n…\ne\n', true],
  ['…\nd\ne\n', true],
  ['a\n  …\n', true],
  ['…\n', true],
  ['a\nb\n', false],
  ['…\nb\n', false],
  ['b\n…\n', false],
  ['…\nd\n…\nc\n…\n', false],
  ['a\nb\nc\n…\nc\nd\ne\n', false],
])('%j shows the output: %s', (shown, expected) => {
  expect(showsOutput(shown, seen)).toBe(expected);
});
