import { expect, test } from 'vitest';
import type { ConfigKey } from '../../core/references/config-key.ts';
import { WorkloadReport } from './workload-report.ts';

const foo: ConfigKey = 'ConfigMap/foo';
const bar: ConfigKey = 'Secret/bar';
const pod = { name: 'web-1', uid: 'u1' };
const ack = (object: string, sequence: number) => ({
  object,
  result: 'Acknowledged' as const,
  reason: '',
  sequence,
});
const refusal = (object: string, sequence: number) => ({
  object,
  result: 'Refused' as const,
  reason: 'no such port',
  sequence,
});

test('the configs of a pod are reported one by one', () => {
  const report = new WorkloadReport();
  expect(report.note(pod, foo, ack('foo-1', 1))).toBe(true);
  expect(report.note(pod, bar, ack('bar-1', 2))).toBe(true);
  expect(report.pods()).toEqual([
    {
      ...pod,
      sequence: 2,
      runs: [
        { config: 'ConfigMap/foo', object: 'foo-1' },
        { config: 'Secret/bar', object: 'bar-1' },
      ],
    },
  ]);
});

test('a refusal says what the pod still runs, until it acknowledges again', () => {
  const report = new WorkloadReport();
  report.note(pod, foo, ack('foo-1', 1));
  report.note(pod, foo, refusal('foo-2', 2));
  expect(report.pods()[0]).toEqual({
    ...pod,
    sequence: 2,
    runs: [{ config: 'ConfigMap/foo', object: 'foo-1' }],
    refused: [{ config: 'ConfigMap/foo', object: 'foo-2', reason: 'no such port' }],
  });
  report.note(pod, foo, ack('foo-1', 3));
  expect(report.pods()[0]?.refused).toBeUndefined();
});

test('what was said before is not written again, unless the write failed', () => {
  const report = new WorkloadReport();
  report.note(pod, foo, ack('foo-1', 1));
  expect(report.note(pod, foo, ack('foo-1', 2))).toBe(false);
  report.fail();
  expect(report.note(pod, foo, ack('foo-1', 3))).toBe(true);
});

test('an older report that arrives late changes nothing', () => {
  const report = new WorkloadReport();
  report.note(pod, foo, ack('foo-2', 2));
  expect(report.note(pod, foo, ack('foo-1', 1))).toBe(false);
  expect(report.pods()[0]?.runs).toEqual([{ config: 'ConfigMap/foo', object: 'foo-2' }]);
});

test('a pod that is gone is no longer reported', () => {
  const report = new WorkloadReport();
  report.note(pod, foo, ack('foo-1', 1));
  report.forget('u1');
  expect(report.pods()).toEqual([]);
});
