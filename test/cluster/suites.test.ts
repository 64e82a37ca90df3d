import { expect, test } from 'vitest';
import { chooseSuites } from './suites.ts';

test.each<[string, string[], projects: string[], vitestArgs: string[]]>([
  [
    'nothing said: all of them, the faults alone on the machine',
    [],
    ['level1', 'unit', 'local', 'conformance', 'faults', 'level2'],
    [],
  ],
  ['one level', ['--level', '1'], ['level1'], []],
  ["Kubernetes' own tests", ['--conformance'], ['conformance'], []],
  ['one level, in one word, and one file of it', ['--level=2', 'bed'], ['level2'], ['bed']],
  ['the faults, and some of them', ['--faults', '-t', 'seed'], ['faults'], ['-t', 'seed']],
  ['a word for vitest', ['--bail=1'], ['level1', 'unit', 'local', 'faults', 'level2'], ['--bail=1']],
  [
    'a file that is called like a suite',
    ['faults'],
    ['level1', 'unit', 'local', 'faults', 'level2'],
    ['faults'],
  ],
])('%s', (_, argv, projects, vitestArgs) => {
  const answer = chooseSuites(argv);
  expect(answer.chosen.map((suite) => ('project' in suite ? suite.project : suite.name))).toEqual(projects);
  expect(answer.vitestArgs).toEqual(vitestArgs);
});
