import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from '../limits/turns.ts';
import { UnsentBudget } from '../limits/unsent-budget.ts';
import { parsingTurns } from './parsing-turns.ts';

const mebibyte = 2 ** 20;

function scene({ maxWaiting = 1, isRead = true, identity = async () => 'user alice' } = {}) {
  const turns = new Turns(maxWaiting);
  const budget = new UnsentBudget();
  const begun: string[] = [];
  const beforeParsing = (credential: string, who = identity) => {
    const unsent = budget.open(credential, '192.0.2.1');
    const wait = parsingTurns({ turns, unsent, isRead, identity: who, credential });
    return (bytes = mebibyte) => wait(bytes).then(() => void begun.push(credential));
  };
  return { turns, budget, begun, beforeParsing };
}

test('more answers than may wait of one caller are parsed one at a time, in turn with those of others', async () => {
  const { turns, begun, beforeParsing } = scene();
  const [busy, other] = [beforeParsing('busy'), beforeParsing('other', async () => 'user bob')];
  const answers = [...Array.from({ length: 20 }, () => busy()), other()];
  await nextRound();
  expect(turns.waiting).toBeGreaterThan(15);
  await answers.at(-1);
  expect(begun).toContain('other');
  expect(begun.length).toBeLessThan(5);
  await Promise.all(answers);
  expect(begun).toHaveLength(21);
});

test('a caller whom the API server does not name takes turns by its credential', async () => {
  const { turns, begun, beforeParsing } = scene();
  const unknown = () => Promise.reject(new Error('the API server does not respond'));
  const [busy, other] = [beforeParsing('busy', unknown), beforeParsing('other', unknown)];
  const answers = [...Array.from({ length: 20 }, () => busy()), other()];
  await nextRound();
  expect(turns.waiting).toBeGreaterThan(15);
  await answers.at(-1);
  expect(begun.length).toBeLessThan(5);
  await Promise.all(answers);
});

test('an answer that waits counts as memory of its caller, until it is parsed', async () => {
  const { budget, beforeParsing } = scene();
  const wait = beforeParsing('busy');
  const answers = [wait(20 * mebibyte), wait(10 * mebibyte)];
  expect(budget.used).toBe(30 * mebibyte);
  await expect(wait(3 * mebibyte)).rejects.toMatchObject({ body: { code: 429 } });
  await Promise.all(answers);
  expect(budget.used).toBe(0);
});

test('the answers to a request that may write are not refused', async () => {
  const { budget, beforeParsing } = scene({ isRead: false });
  const wait = beforeParsing('busy');
  const answers = [wait(30 * mebibyte), wait(30 * mebibyte)];
  expect(budget.used).toBe(60 * mebibyte);
  await Promise.all(answers);
  expect(budget.used).toBe(0);
});

test('a small answer waits for no turn', async () => {
  const { turns, budget, beforeParsing } = scene({
    identity: () => Promise.reject(new Error('is not asked')),
  });
  const parsed = beforeParsing('a')(64 * 1024);
  expect([turns.waiting, budget.used]).toEqual([0, 0]);
  await parsed;
});
