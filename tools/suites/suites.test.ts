import { expect, test } from 'vitest';
import { chooseSuites } from './suites.ts';

test.each<[string, string[], projects: string[], vitestArgs: string[]]>([
  [
    'no arguments: all of them, the faults alone on the machine',
    [],
    ['kubernetes', 'containers', 'by-admission', 'conformance quick', 'some-faults'],
    [],
  ],
  ['the long ones', ['--long'], ['conformance all', 'faults'], []],
  [
    'one of the long ones, and a part of it',
    ['--long', '--faults', '-t', 'seed'],
    ['faults'],
    ['-t', 'seed'],
  ],
  ['one suite', ['--kubernetes'], ['kubernetes'], []],
  ["Kubernetes' own tests", ['--conformance'], ['conformance quick'], []],
  ['one suite, and one file of it', ['--containers', 'bed'], ['containers'], ['bed']],
  ['the faults, and some of them', ['--faults', '-t', 'seed'], ['some-faults'], ['-t', 'seed']],
  [
    'a flag of vitest',
    ['--bail=1'],
    ['kubernetes', 'containers', 'by-admission', 'some-faults'],
    ['--bail=1'],
  ],
  [
    'a file that is called like a suite',
    ['faults'],
    ['kubernetes', 'containers', 'by-admission', 'some-faults'],
    ['faults'],
  ],
])('%s', (_, argv, projects, vitestArgs) => {
  const answer = chooseSuites(argv);
  const names = answer.stages
    .flat()
    .map((suite) => ('project' in suite ? suite.project : `${suite.name} ${suite.conformance}`));
  expect(names).toEqual(projects);
  expect(answer.vitestArgs).toEqual(vitestArgs);
});

test('the fault runs have the machine for themselves', () => {
  const withFaults = [...chooseSuites([]).stages, ...chooseSuites(['--long']).stages].filter((suites) =>
    suites.some(({ name }) => name === 'faults'),
  );
  expect(withFaults.map((suites) => suites.length)).toEqual([1, 1]);
});
