import { describe, expect, test } from 'vitest';
import { signalEffect, signalName } from './signal-effect.ts';

const none = { caught: 0n, blocked: 0n, ignored: 0n };
const hup = 1n;
const usr1 = 1n << 9n;

describe('a signal', () => {
  test('with a handler is handled', () => {
    expect(signalEffect('SIGHUP', { ...none, caught: hup })).toBe('handled');
    expect(signalEffect('SIGUSR1', { ...none, caught: usr1 })).toBe('handled');
    expect(signalEffect('SIGWINCH', { ...none, caught: 1n << 27n })).toBe('handled');
  });

  test('that a program waits for, or holds back for a moment, is blocked', () => {
    expect(signalEffect('SIGHUP', { ...none, blocked: hup })).toBe('blocked');
    expect(signalEffect('SIGHUP', { ...none, blocked: hup, caught: hup })).toBe('handled');
  });

  test('that is ignored has no effect', () => {
    expect(signalEffect('SIGHUP', { ...none, ignored: hup })).toBe('ignored');
    expect(signalEffect('SIGWINCH', none)).toBe('ignored');
  });

  test('without a handler ends the process', () => {
    expect(signalEffect('SIGHUP', none)).toBe('ends the process');
    expect(signalEffect('SIGHUP', { ...none, caught: usr1, blocked: usr1 })).toBe('ends the process');
    expect(signalEffect('SIGUSR2', { ...none, caught: hup | usr1 })).toBe('ends the process');
  });
});

test.each([
  ['SIGHUP', 'SIGHUP'],
  ['HUP', 'SIGHUP'],
  ['hup', 'SIGHUP'],
  ['sigusr2', 'SIGUSR2'],
  ['1', 'SIGHUP'],
  ['10', 'SIGUSR1'],
  ['', undefined],
  ['0', undefined],
  ['99', undefined],
  ['SIG', undefined],
  ['SIGNOTHING', undefined],
  ['hop', undefined],
])("'%s' is the signal %s", (text, name) => {
  expect(signalName(text)).toBe(name);
});
