import { EventEmitter } from 'node:events';
import type { ReadStream } from 'node:tty';
import { expect, test } from 'vitest';
import { listenForKeys } from './keys.ts';

function terminal(isTTY = true) {
  const calls: string[] = [];
  const input = Object.assign(new EventEmitter(), {
    isTTY,
    setRawMode: (raw: boolean) => void calls.push(`raw ${raw}`),
    setEncoding: () => {},
    resume: () => {},
    pause: () => void calls.push('pause'),
  }) as unknown as ReadStream;
  return { input, calls };
}

function listen(input: ReadStream) {
  const printed: string[] = [];
  let quits = 0;
  const actions = {
    g: async () => 'colour: green',
    b: () => Promise.reject(new Error('the API server does not answer')),
  };
  const quit = () => {
    quits += 1;
  };
  const end = listenForKeys(input, { actions, quit, print: (line) => void printed.push(line) });
  return { printed, end, quits: () => quits };
}

test('a key does what it says, and what became of it is printed', async () => {
  const { input } = terminal();
  const { printed } = listen(input);
  for (const key of ['g', 'x', 'b', 'constructor']) input.emit('data', key);
  await new Promise((resolve) => setImmediate(resolve));
  expect(printed).toEqual(['colour: green', 'the API server does not answer']);
});

test.each(['q', '\u0003', '\u0004'])('%j quits', (key) => {
  const { input } = terminal();
  const { quits } = listen(input);
  input.emit('data', key);
  expect(quits()).toBe(1);
});

test('the terminal is left as it was found', () => {
  const { input, calls } = terminal();
  listen(input).end();
  expect(calls).toEqual(['raw true', 'raw false', 'pause']);
  expect(input.listenerCount('data')).toBe(0);
});

test('without a terminal nothing is read', () => {
  const { input, calls } = terminal(false);
  listen(input).end();
  expect(calls).toEqual([]);
});
