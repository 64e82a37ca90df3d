import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodAddresses } from './pod-addresses.ts';

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
