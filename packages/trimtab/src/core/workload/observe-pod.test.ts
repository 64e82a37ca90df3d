import { expect, test } from 'vitest';
import { pod } from './observe-pod.ts';

const observed = (lostReadyAt: string, state: object) =>
  pod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'web-1', uid: 'u1' },
    status: {
      conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: lostReadyAt }],
      containerStatuses: [{ name: 'app', restartCount: 5, state }],
    },
  } as Parameters<typeof pod>[0]).containers[0];

const running = { running: { startedAt: '2026-11-15T12:00:00Z' } };

test('a container whose pod lost readiness long after its last restart has recovered from its crashes', () => {
  expect(observed('2026-11-16T09:30:00Z', running)).toMatchObject({ restarts: 5, recovered: true });
});

test.each([
  ['lost readiness with the crash before this start', '2026-11-15T11:59:50Z', running],
  ['was started in the same second', '2026-11-15T12:00:00Z', running],
  ['is not running', '2026-11-16T09:30:00Z', { waiting: { reason: 'CrashLoopBackOff' } }],
])('but not one that %s', (_, lostReadyAt, state) => {
  expect(observed(lostReadyAt, state)?.recovered).toBeUndefined();
});
