import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { barePodsFollow } from './support/bare-pods-follow.ts';

/** Locked configs on the local cluster, where pods are processes of this machine. */

let engine: Engine;

beforeAll(async () => {
  engine = await openLocalEngineWithNode({ refreshMs: 500 });
});
afterAll(() => engine?.close());

describe.runIf(process.platform === 'linux' && findKubectl() !== undefined)('on the local cluster', () => {
  test('pods that Trimtab does not manage get the current version', { timeout: 240_000 }, () =>
    barePodsFollow(engine),
  );
});
