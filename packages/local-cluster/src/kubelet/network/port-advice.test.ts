import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { expect, test } from 'vitest';
import type { Container } from '../../objects/pod.ts';
import { takenPortAdvice } from './port-advice.ts';
import { watchPorts } from './port-watch.ts';

const hostIP = '127.0.0.1';
const web: Container = { name: 'web', ports: [{ containerPort: 8080 }, { containerPort: 9090 }] };
const ports = new Map([
  [8080, 20_001],
  [9090, 20_002],
]);

test.each([
  ['Node', 'Error: listen EADDRINUSE: address already in use 127.0.0.1:8080', true],
  ['Go', 'listen tcp :8080: bind: address already in use', true],
  ['Python', 'OSError: [Errno 48] Address already in use', true],
  ['nginx', 'bind() to 0.0.0.0:8080 failed (98: Address already in use)', true],
  ['a program with another trouble', "colour 'blurple' unknown", false],
])('%s is told to use $PORT when its port is taken: %s', (_, log, isTold) => {
  const advice = takenPortAdvice(web, { ip: hostIP, ports }, { hostIP, log });
  expect(advice !== undefined).toBe(isTold);
  if (isTold) expect(advice).toContain('$PORT (20001), not 8080; $PORT_9090 (20002), not 9090');
});

test('where a pod has an address of its own, who listens on all is told to use that', () => {
  const own = { ip: '127.20.0.1', ports: new Map() };
  const log = 'address already in use';
  expect(takenPortAdvice({ name: 'web' }, own, { hostIP, log })).toContain(
    '$POD_IP (127.20.0.1), not on all',
  );
  expect(takenPortAdvice(web, own, { hostIP, log: 'no disk' })).toBeUndefined();
});

test('a pod on the network of the machine wanted that very port', () => {
  const host = { ip: hostIP, ports: new Map() };
  expect(takenPortAdvice(web, host, { hostIP, log: 'address already in use' })).toBeUndefined();
});

/** Returns the advice for a machine on which the given ports have a listener at a given time. */
async function adviceOf(listening: (now: number) => number[], container = web): Promise<string[]> {
  const clock = new ManualClock();
  const told: string[] = [];
  const end = watchPorts({
    clock,
    container,
    ports,
    tell: (message) => told.push(message),
    answersAt: async (port) => listening(clock.monotonic()).includes(port),
  });
  const began = clock.monotonic();
  while (clock.monotonic() - began < 300_000) await clock.advance(5_000);
  end();
  return told;
}

test('a program that listens where its manifest says, and not on $PORT, is told so once', async () => {
  const told = await adviceOf(() => [8080, 20_002]);
  expect(told).toEqual([
    expect.stringMatching(/port 20001.*port 8080 of this machine.*\$PORT_8080, here 20001/),
  ]);
});

test('who listens on $PORT hears nothing, whoever else has the port of the manifest', async () => {
  expect(await adviceOf(() => [8080, 9090, 20_001, 20_002])).toEqual([]);
});

test('who listens nowhere hears nothing of ports', async () => {
  expect(await adviceOf(() => [])).toEqual([]);
});

test('a port that is not TCP is not asked', async () => {
  const udp = { name: 'dns', ports: [{ containerPort: 8080, protocol: 'UDP' }] };
  expect(await adviceOf(() => [8080], udp)).toEqual([]);
});
