import { once } from 'node:events';
import { createServer } from 'node:net';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../objects/pod.ts';
import { chooseAddresses, describeAddresses } from './address-mode.ts';
import { podNetwork } from './pod-network.ts';

const pod = (uid: string, more: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { uid },
  spec: { containers: [{ name: 'app', ports: [{ containerPort: 8080 }] }], ...more },
});

describe('where pods have addresses of their own', () => {
  it('each has its own, and its ports are what its manifest says', async () => {
    const network = podNetwork('/a', 'own');
    const [one, other] = [await network.take(pod('u1'), undefined), await network.take(pod('u2'), undefined)];
    expect(one?.ip).not.toBe(other?.ip);
    expect([one?.ports.size, other?.ports.size]).toEqual([0, 0]);
  });

  it.runIf(process.platform === 'linux')('two of them listen on the same port', async () => {
    const network = podNetwork('/a', 'own');
    const servers = [createServer(), createServer()];
    const port = await freePort();
    for (const [index, server] of servers.entries()) {
      const address = await network.take(pod(`u${index}`), undefined);
      await once(server.listen(port, address?.ip), 'listening');
    }
    for (const server of servers) server.close();
  });

  it('a pod that had to share one before gets one of its own', async () => {
    const network = podNetwork('/a', 'own');
    const shared = { ip: '127.0.0.1', ports: new Map([[8080, 20_001]]) };
    network.keep('u1', shared);
    const address = await network.take(pod('u1'), shared);
    expect(address?.ip).not.toBe('127.0.0.1');
    expect(address?.ports.size).toBe(0);
  });

  it('a pod keeps the one that it had', async () => {
    const network = podNetwork('/a', 'own');
    const had = { ip: '127.99.0.7', ports: new Map() };
    network.keep('u1', had);
    expect(await network.take(pod('u1'), had)).toEqual(had);
  });
});

describe('where pods share an address', () => {
  it('two of them have the same port of their manifest at different places', async () => {
    const network = podNetwork('/a', 'shared');
    const taken = [await network.take(pod('u1'), undefined), await network.take(pod('u2'), undefined)];
    expect(taken.map((each) => each?.ip)).toEqual(['127.0.0.1', '127.0.0.1']);
    expect(new Set(taken.map((each) => each?.ports.get(8080))).size).toBe(2);
  });

  it('a pod on the network of the machine has the ports that it names', async () => {
    const address = await podNetwork('/a', 'shared').take(pod('u1', { hostNetwork: true }), undefined);
    expect(address).toEqual({ ip: '127.0.0.1', ports: new Map() });
  });
});

describe('which of the two it is', () => {
  it.each([
    ['the system has the addresses', undefined, true, 'own'],
    ['the system lacks them', undefined, false, 'shared'],
    ['somebody wants to share', 'shared', true, 'shared'],
    ['somebody wants what is there', 'own', true, 'own'],
  ] as const)('when %s', async (_, wanted, canHave, way) => {
    expect((await chooseAddresses(wanted, async () => canHave)).way).toBe(way);
  });

  it('what cannot be had is refused, with what to do', async () => {
    await expect(chooseAddresses('own', async () => false)).rejects.toThrow(/--pod-addresses shared/);
  });

  it.runIf(process.platform === 'linux')('Linux has the addresses', async () => {
    expect(await chooseAddresses()).toEqual({ way: 'own' });
  });

  it('is told in a line', () => {
    expect(describeAddresses({ way: 'own' })).toContain('its own address');
    expect(describeAddresses({ way: 'shared', because: 'why' })).toMatch(/127\.0\.0\.1.*\$PORT: why/);
  });
});
