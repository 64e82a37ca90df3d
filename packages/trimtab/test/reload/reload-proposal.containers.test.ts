import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, test } from 'vitest';
import { proposalWalk } from './support/proposal-walk.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});
afterAll(() => engine?.close());

test('the walk of the proposal, in containers', () => proposalWalk(engine));
