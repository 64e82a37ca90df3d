import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

test('what is left out has a default', () => {
  expect(parseArguments(['up'])).toMatchObject({ command: 'up', name: 'default', json: false, rest: [] });
  expect(parseArguments(['up'])).not.toHaveProperty('level');
});

test('flags of up', () => {
  const parsed = parseArguments(['up', '--level', '2', '--nodes=50', '--name', 'mine']);
  expect(parsed).toMatchObject({ command: 'up', level: 2, nodes: 50, name: 'mine' });
});

test('what follows -- belongs to the command, its flags included', () => {
  const parsed = parseArguments(['exec', '--name', 'mine', '--', 'kubectl', 'get', '--name', '--', 'x']);
  expect(parsed).toMatchObject({
    command: 'exec',
    name: 'mine',
    rest: ['kubectl', 'get', '--name', '--', 'x'],
  });
});

test('an image has a name, a folder and a command', () => {
  const parsed = parseArguments(['image', 'app:1', './folder', '--cmd', 'node', '--cmd', 'main.js']);
  expect(parsed.operands).toEqual(['app:1', './folder']);
  expect(parsed.image).toEqual({ base: 'node', at: '/app', command: ['node', 'main.js'] });
});

test.each([
  [['up', '--level', '3'], "--level must be 1 or 2, not '3'"],
  [['up', '--nodes', 'many'], "--nodes must be a whole number, not 'many'"],
  [['status', '-o', 'yaml'], "--output must be json or text, not 'yaml'"],
  [['up', '--frobnicate'], '--frobnicate'],
])('%j is refused', (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(message);
});
