import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import type { Container } from '../../objects/pod.ts';
import type { ProbeVerdict, RunningContainer } from '../pod/probe-results.ts';
import { containerProbes } from './container-probes.ts';
import type { ProbeResult } from './probe-machine.ts';

const startup = { exec: { command: ['startup'] }, periodSeconds: 1, failureThreshold: 5 };
const readiness = { exec: { command: ['readiness'] }, periodSeconds: 2, failureThreshold: 1 };
const liveness = {
  exec: { command: ['liveness'] },
  periodSeconds: 3,
  failureThreshold: 2,
  initialDelaySeconds: 4,
};

/** A container with fake probe results, on a clock that the test advances. */
function scene(container: Partial<Container>) {
  const clock = new ManualClock();
  const answers: Record<string, 'success' | 'failure'> = {};
  const asked: string[] = [];
  const told: string[] = [];
  let changes = 0;
  const probes = containerProbes({
    clock,
    async ask(probe): Promise<ProbeResult> {
      const name = probe.exec?.command?.[0] ?? '';
      asked.push(`${clock.monotonic() / 1000} ${name}`);
      return answers[name] === 'failure' ? { is: 'failure', message: 'no' } : { is: 'success' };
    },
  });
  const warn = (reason: string, message: string) => void told.push(`${reason}: ${message}`);
  const running = { id: 'c1', container: { name: 'app', ...container }, warn } as RunningContainer;
  probes.begin(running, () => {
    changes += 1;
  });
  return {
    asked,
    told,
    answers,
    probes,
    changes: () => changes,
    async after(seconds: number): Promise<ProbeVerdict> {
      await clock.advance(seconds * 1000);
      return probes.verdictOf('c1');
    },
  };
}

test('without probes, a container that runs is ready', () => {
  const { probes } = scene({});
  expect(probes.verdictOf('c1')).toEqual({ started: true, ready: true });
  expect(probes.verdictOf('unknown')).toEqual({ started: false, ready: false });
});

test('the others are asked only when the startup probe has succeeded', async () => {
  const it = scene({ startupProbe: startup, readinessProbe: readiness });
  it.answers['startup'] = 'failure';
  expect(await it.after(2)).toEqual({ started: false, ready: false });
  expect(it.asked.some((line) => line.endsWith('readiness'))).toBe(false);
  it.answers['startup'] = 'success';
  expect(await it.after(2)).toEqual({ started: true, ready: true });
  expect(it.asked.filter((line) => line.endsWith('startup'))).toHaveLength(4);
});

test('a startup probe that never succeeds ends the container', async () => {
  const it = scene({ startupProbe: startup });
  it.answers['startup'] = 'failure';
  expect(await it.after(6)).toEqual({ started: false, ready: false, failed: 'startup' });
  expect(it.asked).toHaveLength(5);
  expect(it.told).toContain('Unhealthy: Startup probe failed: no');
});

test('liveness waits for its delay, and asks no more when it has failed', async () => {
  const it = scene({ livenessProbe: liveness });
  it.answers['liveness'] = 'failure';
  expect(await it.after(6)).toEqual({ started: true, ready: true });
  expect(await it.after(3)).toEqual({ started: true, ready: true, failed: 'liveness' });
  expect(it.asked).toEqual(['4 liveness', '7 liveness']);
  await it.after(30);
  expect(it.asked).toHaveLength(2);
});

test('readiness comes and goes, and each change is told', async () => {
  const it = scene({ readinessProbe: readiness });
  expect(it.probes.verdictOf('c1').ready).toBe(false);
  expect((await it.after(1)).ready).toBe(true);
  it.answers['readiness'] = 'failure';
  expect((await it.after(2)).ready).toBe(false);
  it.answers['readiness'] = 'success';
  expect((await it.after(2)).ready).toBe(true);
  expect(it.changes()).toBe(3);
});

test('a container that ended is no longer probed, and keeps its verdict until its exit is recorded', async () => {
  const it = scene({ readinessProbe: readiness });
  await it.after(1);
  it.probes.stop('c1');
  const before = it.asked.length;
  expect(await it.after(10)).toEqual({ started: true, ready: true });
  expect(it.asked).toHaveLength(before);
  it.probes.forget('c1');
  expect(it.probes.verdictOf('c1')).toEqual({ started: false, ready: false });
});
