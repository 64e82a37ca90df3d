import { describe, expect, test } from 'vitest';
import { type AgentState, livenessProblem } from './agent-state.ts';

const well: AgentState = {
  notReady: undefined,
  failure: undefined,
  isRestored: true,
  interruption: undefined,
};
const failed = { ...well, failure: 'nginx ended with exit code 1' };
const stuck = { ...failed, isRestored: false };
const away = (forSeconds: number) => ({
  ...well,
  interruption: { forSeconds, problem: 'watch of configmap shop/web: ECONNREFUSED' },
});

describe('the kubelet should restart the container', () => {
  test.each<[string, AgentState, string | undefined, string | undefined]>([
    ['all is well', well, undefined, undefined],
    ['the first files are not there yet', { ...well, notReady: 'starting' }, undefined, undefined],
    ['a reload failed and the last good files are back', failed, failed.failure, undefined],
    ['a reload failed and the last good files are not back', stuck, failed.failure, failed.failure],
    ['the watch fails for a short time', away(599.9), undefined, undefined],
    [
      'the watch fails for too long',
      away(600.5),
      'watch of configmap shop/web: ECONNREFUSED for 600 s',
      undefined,
    ],
    ['a reload failed and the watch fails', { ...away(700), ...{ failure: 'x' } }, 'x', undefined],
  ])('%s', (_, state, standalone, gateway) => {
    expect(livenessProblem(state, 'standalone', 600)).toBe(standalone);
    expect(livenessProblem(state, 'gateway', 600)).toBe(gateway);
  });

  test('never because of the watch, when the limit is 0', () => {
    expect(livenessProblem(away(100_000), 'standalone', 0)).toBeUndefined();
    expect(livenessProblem({ ...away(100_000), failure: 'x' }, 'standalone', 0)).toBe('x');
  });
});
