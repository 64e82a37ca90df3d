import { expect, it } from 'vitest';
import type { ContainerState, ContainerStatus, PodStatus } from '../../objects/pod.ts';
import { hasChanged } from './status-changes.ts';

const container = (state: ContainerState, more: Partial<ContainerStatus> = {}): ContainerStatus => ({
  ...{ name: 'app', image: 'x', imageID: '', ready: false, started: false, restartCount: 0 },
  ...{ state, lastState: {}, ...more },
});
const condition = (type: string, status: 'True' | 'False') => ({ type, status, lastTransitionTime: 'then' });
const bound: PodStatus = { phase: 'Pending', conditions: [condition('PodScheduled', 'True')] };
const creating: PodStatus = {
  ...{ phase: 'Pending', hostIP: '127.0.0.1', observedGeneration: 1 },
  conditions: [condition('PodReadyToStartContainers', 'False'), condition('Ready', 'False')],
  containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } })],
};
const placed: PodStatus = {
  ...{ ...creating, podIP: '127.1.0.1' },
  conditions: [condition('PodReadyToStartContainers', 'True'), condition('Ready', 'False')],
};
const running: PodStatus = {
  ...{ ...placed, phase: 'Running' },
  containerStatuses: [container({ running: { startedAt: 'now' } })],
};
const ready: PodStatus = { ...running, conditions: [condition('Ready', 'True')] };
const waitingFor = (reason: string): PodStatus => ({
  ...placed,
  containerStatuses: [container({ waiting: { reason } })],
});
const restarting: PodStatus = {
  ...running,
  containerStatuses: [container({ waiting: { reason: 'ContainerCreating' } }, { restartCount: 1 })],
};

it.each([
  ['a pod was seen', bound, creating, false],
  ['it has an address', creating, placed, false],
  ['it is told to go', ready, { ...ready, observedGeneration: 2 }, false],
  ['its container runs', placed, running, true],
  ['it is ready', running, ready, true],
  ['it is ready no more', ready, running, true],
  ['a config is missing', placed, waitingFor('CreateContainerConfigError'), true],
  ['a program is started again', running, restarting, true],
  ['it was evicted', running, { ...running, reason: 'Evicted' }, true],
  ['it has failed', ready, { ...ready, phase: 'Failed' as const }, true],
])('that %s: %#', (_, before, after, expected) => {
  expect(hasChanged(before, after)).toBe(expected);
});
