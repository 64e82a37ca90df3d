import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canListen, isFree } from './local-port.ts';
import { PodPorts } from './pod-ports.ts';

const none = new Map<number, number>();
const allFree = async () => true;

describe('ports of pods that share an address', () => {
  it('are all different, also when they are asked for at the same time', async () => {
    const ports = new PodPorts('/a', allFree);
    const wanted = [80, 443, 9090];
    const taken = await Promise.all(Array.from({ length: 100 }, (_, n) => ports.take(`u${n}`, wanted, none)));
    const locals = taken.flatMap((each) => [...(each?.values() ?? [])]);
    expect(locals).toHaveLength(300);
    expect(new Set(locals).size).toBe(300);
  });

  it('are none that the system would give to somebody by chance', async () => {
    const ports = new PodPorts('/a', allFree);
    const wanted = Array.from({ length: 500 }, (_, n) => n + 1);
    for (const local of (await ports.take('u', wanted, none))?.values() ?? []) {
      expect(local).toBeGreaterThanOrEqual(20_000);
      expect(local).toBeLessThan(30_000);
    }
  });

  it('that somebody listens on are passed over', async () => {
    const [busy] = [...((await new PodPorts('/a', allFree).take('u', [80], none))?.values() ?? [])];
    const ports = new PodPorts('/a', async (port) => port !== busy);
    expect((await ports.take('u', [80], none))?.get(80)).not.toBe(busy);
  });

  it('stay what they were, unless somebody has taken one meanwhile', async () => {
    const before = await new PodPorts('/a', allFree).take('u', [80, 81], none);
    const had = before ?? none;
    const ports = new PodPorts('/a', async (port) => port !== had.get(81));
    ports.keep('u', had);
    const after = await ports.take('u', [80, 81], had);
    expect(after?.get(80)).toBe(had.get(80));
    expect(after?.get(81)).not.toBe(had.get(81));
  });

  it('that a pod had before a restart are not given to another', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (size) => {
        const wanted = Array.from({ length: size }, (_, n) => n + 1);
        const had = (await new PodPorts('/a', allFree).take('u', wanted, none)) ?? none;
        const ports = new PodPorts('/a', allFree);
        ports.keep('u', had);
        const others = (await ports.take('v', wanted, none)) ?? none;
        const locals = new Set(had.values());
        for (const local of others.values()) expect(locals.has(local)).toBe(false);
        expect(await ports.take('u', wanted, had)).toEqual(had);
      }),
    );
  });

  it('that are given back come again last; without one left, nothing is taken', async () => {
    const ports = new PodPorts('/a', allFree);
    const all = Array.from({ length: 10_000 }, (_, n) => n + 1);
    const first = await ports.take('u', all, none);
    expect(await ports.take('v', [80], none)).toBeUndefined();
    ports.giveBack('u');
    expect(await ports.take('v', all, none)).toEqual(first);
    ports.giveBack('v');
    expect(await ports.take('w', [...all, 10_001], none)).toBeUndefined();
    expect((await ports.take('x', all, none))?.size).toBe(10_000);
  });
});

it.each(['127.0.0.1', '0.0.0.0'])('a port that somebody on %s listens on is not free', async (address) => {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, address, () => resolve((server.address() as { port: number }).port));
  });
  expect(await isFree(port)).toBe(false);
  await new Promise((resolve) => server.close(resolve));
  expect(await isFree(port)).toBe(true);
});

it('an address that this machine does not have cannot be listened on', async () => {
  // 192.0.2.0/24 is reserved for documentation, so no machine has the address.
  expect(await canListen('192.0.2.1', 0)).toBe(false);
});
