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
  const happened: string[] = [];
  const print = (line: string) => void happened.push(line);
  const end = listenForKeys(input, {
    actions: {
      g: async () => 'colour: green',
      b: () => Promise.reject(new Error('the API server does not answer')),
    },
    views: {
      t: () => {
        const { promise: closed, resolve } = Promise.withResolvers<void>();
        print('tree');
        const close = () => {
          print('tree closed');
          resolve();
        };
        return { close, closed };
      },
      x: () => ({ close: () => {}, closed: Promise.reject(new Error('forbidden')) }),
    },
    quit: () => print('quit'),
    print,
  });
  return { happened, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function press(input: ReadStream, ...keys: string[]): Promise<void> {
  for (const key of keys) {
    input.emit('data', key);
    await settled();
  }
}

test('a key does what it says, and the result is printed', async () => {
  const { input } = terminal();
  const { happened } = listen(input);
  await press(input, 'g', 'z', 'b', 'constructor');
  expect(happened).toEqual(['colour: green', 'the API server does not answer']);
});

test.each(['q', '\u0003', '\u0004'])('%j quits', async (key) => {
  const { input } = terminal();
  const { happened } = listen(input);
  await press(input, key);
  expect(happened).toEqual(['quit']);
});

test.each(['q', 'g', 't', '\u0003'])('%j closes the live tree and does nothing else', async (key) => {
  const { input } = terminal();
  const { happened } = listen(input);
  await press(input, 't', key, 'g');
  expect(happened).toEqual(['tree', 'tree closed', 'colour: green']);
});

test('a view that fails says why, and the keys work on', async () => {
  const { input } = terminal();
  const { happened } = listen(input);
  await press(input, 'x', 'g');
  expect(happened).toEqual(['forbidden', 'colour: green']);
});

test('the terminal is restored, also with an open view', async () => {
  const { input, calls } = terminal();
  const { happened, end } = listen(input);
  await press(input, 't');
  end();
  expect(happened).toEqual(['tree', 'tree closed']);
  expect(calls).toEqual(['raw true', 'raw false', 'pause']);
  expect(input.listenerCount('data')).toBe(0);
});

test('without a terminal nothing is read', () => {
  const { input, calls } = terminal(false);
  listen(input).end();
  expect(calls).toEqual([]);
});
