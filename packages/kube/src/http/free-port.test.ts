import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';

test('every caller gets a port of its own, which is free and which the system gives to nobody else', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(ports.length);
  expect(Math.max(...ports)).toBeLessThan(20_000);
  const server = createServer().listen(ports[0], '127.0.0.1');
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject));
  await new Promise((resolve) => server.close(resolve));
});
