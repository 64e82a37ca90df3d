import { createServer } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodAddresses } from './pod-addresses.ts';
import { podNetwork } from './pod-network.ts';

describe('addresses of pods', () => {
  it('are all different, and of the loopback network', () => {
    const addresses = new PodAddresses('/a');
    const given = Array.from({ length: 1_000 }, (_, index) => addresses.take(`u${index}`));
    expect(new Set(given).size).toBe(1_000);
    for (const each of given) expect(each).toMatch(/^127\.(\d+)\.\d+\.\d+$/);
    expect(given).not.toContain('127.0.0.1');
  });

  it('that are given back come again last', () => {
    const addresses = new PodAddresses('/a');
    const first = addresses.take('u1');
    addresses.giveBack('u1');
    const after = Array.from({ length: 65_533 }, (_, index) => {
      const address = addresses.take(`v${index}`);
      addresses.giveBack(`v${index}`);
      return address;
    });
    expect(after).not.toContain(first);
    expect(addresses.take('w')).toBe(first);
  });

  it('that a pod had before a restart are not given to another', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 20 }), (kept) => {
        const before = new PodAddresses('/a');
        const all = Array.from({ length: 40 }, (_, index) => before.take(`u${index}`) ?? '');
        const addresses = new PodAddresses('/a');
        const held = kept.map((number) => all[number - 1] ?? '');
        for (const [index, address] of held.entries()) addresses.keep(`k${index}`, address);
        for (let n = 0; n < 60; n++) expect(held).not.toContain(addresses.take(`n${n}`));
      }),
    );
  });

  it('are out when all are taken', () => {
    const addresses = new PodAddresses('/a');
    for (let n = 0; n < 65_534; n++) addresses.keep(`u${n}`, addresses.take(`u${n}`) ?? '');
    expect(addresses.take('one more')).toBeUndefined();
  });
});

it.runIf(process.platform === 'linux')('two pods listen on the same port', async () => {
  const network = podNetwork('/a', 'linux');
  const servers = [createServer(), createServer()];
  const listen = (server: (typeof servers)[number], host: string, port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve((server.address() as { port: number }).port));
    });
  const [one, other] = servers;
  if (one === undefined || other === undefined) throw new Error('two servers');
  const port = await listen(one, network.take('u1') ?? '', 0);
  expect(await listen(other, network.take('u2') ?? '', port)).toBe(port);
  for (const server of servers) server.close();
});

it('elsewhere pods share an address, and each container gets a port of its own', async () => {
  const network = podNetwork('/a', 'darwin');
  expect([network.take('u1'), network.take('u2')]).toEqual(['127.0.0.1', '127.0.0.1']);
  const environment = await network.environmentOf('127.0.0.1');
  expect(Number(environment['PORT'])).toBeGreaterThan(0);
});
