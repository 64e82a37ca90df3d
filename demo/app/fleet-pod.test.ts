import { expect, test } from 'vitest';
import { nextColour, parseDemoConfig } from './demo-config.ts';
import { fleetPod, type ObservedPod } from './fleet-pod.ts';

const pod = (status: ObservedPod['status'], deletionTimestamp?: string): ObservedPod => ({
  metadata: { name: 'p', creationTimestamp: 't', ...(deletionTimestamp && { deletionTimestamp }) },
  spec: {},
  ...(status && { status }),
});
const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const crashed = {
  phase: 'Running',
  containerStatuses: [
    {
      restartCount: 2,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { message: "colour 'blurple' unknown\n" } },
    },
  ],
};

test.each([
  [
    'one that is ready, in its own words',
    pod(ready),
    '1.0.1',
    { colour: 'blue', greeting: 'Hi' },
    { state: 'Running', isReady: true, version: '1.0.1', colour: 'blue', greeting: 'Hi' },
  ],
  [
    'one that crashes, with what it said last',
    pod(crashed),
    '1.0.2',
    undefined,
    { state: 'CrashLoopBackOff', isReady: false, restarts: 2, problem: "colour 'blurple' unknown" },
  ],
  ['one that goes', pod(ready, 'now'), undefined, undefined, { state: 'Terminating', isReady: false }],
  [
    'one that is new',
    pod(undefined),
    undefined,
    undefined,
    { state: 'Pending', isReady: false, restarts: 0 },
  ],
])('the page shows %s', (_, seen, version, says, shown) => {
  expect(fleetPod(seen, version, says)).toMatchObject(shown);
});

test('the demo does not start with a colour that it does not know', () => {
  expect(parseDemoConfig({ colour: ' teal\n', greeting: 'Hi' })).toEqual({ colour: 'teal', greeting: 'Hi' });
  expect(parseDemoConfig({ colour: 'teal' }).greeting).toBe('Hello');
  expect(() => parseDemoConfig({ colour: 'blurple' })).toThrow("colour 'blurple' unknown");
  expect(() => parseDemoConfig({ colour: 'constructor' })).toThrow("colour 'constructor' unknown");
});

test('a good change is always to another colour that it knows', () => {
  const seen = new Set<string>();
  for (let colour = nextColour(undefined); !seen.has(colour); colour = nextColour(colour)) {
    seen.add(colour);
    expect(parseDemoConfig({ colour }).colour).toBe(colour);
  }
  expect(seen.size).toBeGreaterThan(3);
  expect(seen.has(nextColour('blurple'))).toBe(true);
});
