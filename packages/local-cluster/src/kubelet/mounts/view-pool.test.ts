import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { processesWith } from '../../../test/support/kubelet-stage.ts';
import { planView } from './plan-view.ts';
import { probeMounts } from './probe-mounts.ts';
import { thisMachine } from './this-machine.ts';
import { ViewPool } from './view-pool.ts';
import { ViewTemplates } from './view-templates.ts';

const scratch = await mkdtemp(path.join(tmpdir(), 'test-spares-'));
const probed = await probeMounts(scratch);

afterAll(() => rm(scratch, { recursive: true, force: true }));

describe.runIf(probed.way === 'namespaces')('a view that is made beforehand', () => {
  const moulds = new ViewTemplates(path.join(scratch, 'moulds'));
  const mould = moulds.of(planView(thisMachine, []), 'as it is');
  let clock: ManualClock;
  let spares: ViewPool;

  beforeEach(() => {
    clock = new ManualClock();
    if (probed.way === 'namespaces') spares = new ViewPool(probed.tools, clock);
  });

  const provided = async () => {
    spares.provide(mould);
    spares.provide(mould);
    await clock.advance(20);
  };

  const shells = (count: number) =>
    waitFor(`${count} shells`, async () => {
      const found = await processesWith(mould.script);
      return found.length === count ? { met: found } : { seen: found.join() };
    });

  test('is given away once', async () => {
    await provided();
    const [spare] = await shells(1);
    const [one, other] = [spares.take(mould), spares.take(mould)];
    expect(one.pid).toBe(spare);
    expect(other.pid).not.toBe(spare);
    for (const each of [one, other]) {
      await each.finish('');
      await each.close();
    }
    await shells(0);
  });

  test('is not kept when nobody asks for it', async () => {
    await provided();
    await shells(1);
    await clock.advance(11_000);
    await shells(0);
  });

  test('that could not be created does not affect others', async () => {
    const script = path.join(scratch, 'no such script');
    spares.provide({ ...mould, script });
    await clock.advance(20);
    const failed = spares.take({ ...mould, script });
    await expect(failed.isBlank).rejects.toThrow(/no such script/);
    const next = spares.take(mould);
    await next.finish('');
    await next.close();
    await shells(0);
  });

  test('goes with the kubelet', async () => {
    await provided();
    await shells(1);
    await spares.close();
    await shells(0);
  });
});
