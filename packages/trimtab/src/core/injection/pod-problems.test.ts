import { expect, test } from 'vitest';
import { podProblems } from './pod-problems.ts';

const problemsAt = (mountPath: string) =>
  podProblems({ spec: { containers: [{ name: 'app', volumeMounts: [{ name: 'a', mountPath }] }] } });

test.each(['/var/run/trimtab/public', '/var/run/trimtab/public/', '/var/run/trimtab/public///'])(
  'a volume at %s is a problem',
  (mountPath) => {
    expect(problemsAt(mountPath)).toEqual([expect.stringContaining('mounts a volume at')]);
  },
);

test.each(['/', '', '///', '/var/run/trimtab', '/var/run/trimtab/public/a', '/var/run/trimtab//x'])(
  'a volume at "%s" is none',
  (mountPath) => {
    expect(problemsAt(mountPath)).toEqual([]);
  },
);

test('a path of a million slashes is read in linear time', () => {
  // Kubernetes does not limit it. An expression that searches for slashes at the end would take minutes.
  expect(problemsAt(`${'/'.repeat(1_000_000)}x`)).toEqual([]);
});
