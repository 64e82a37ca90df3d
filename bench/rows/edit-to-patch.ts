import { startController } from '../bench-controller.ts';
import { withNamespace } from '../bench-namespace.ts';
import { startSketch } from '../bench-sketch.ts';
import { CurrentVersions } from '../current-versions.ts';
import { createManaged, createPlain, inParallel } from '../managed-deployments.ts';
import { Mounts } from '../mounts.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Figure, Row } from '../row.ts';
import { settle } from '../settle.ts';

const usualDeployments = 50;
const rounds = 4;
const bursts = 3;

/** Budgets: single edits take at most 10 ms (p50) and 50 ms (p99); a burst of 50 edits is patched within 0.5 s. */
export const editToPatch: Row = {
  name: 'edit-to-patch',
  what: 'from an edit of a ConfigMap to the patched workload, including the new version',
  run: (context) =>
    withNamespace(context.client, context.say, (namespace) => measure(context, { ...context, namespace })),
};

function nothingYet(): Record<'single' | 'row' | 'burst', number[]> {
  return { single: [], row: [], burst: [] };
}

/** Alternates between controller and sketch, so that load on the machine affects both. Each has its own namespace. */
async function measure(context: BenchContext, peerContext: BenchContext) {
  const { count = usualDeployments, say, signal } = context;
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  const controller = await startController(context);
  const sketch = await startSketch(peerContext, peerContext.namespace);
  const stop = new AbortController();
  const both = AbortSignal.any([stop.signal, signal]);
  try {
    await createPlain(peerContext, count);
    await createManaged(context, count);
    const ours = { mounts: await Mounts.watch(context, both), ...nothingYet() };
    const peer = { mounts: await Mounts.watch(peerContext, both), ...nothingYet() };
    const current = await CurrentVersions.watch(context, both);
    await Promise.all(names.map((name) => ours.mounts.changed(name, name)));
    let [usedSeconds, requests, reconciliations] = [0, 0, 0];
    for (let round = 1; round <= rounds; round++) {
      say(`edit-to-patch: one by one, round ${round} of ${rounds}`);
      for (const name of names) {
        peer.single.push(await peer.mounts.editAndWait(name, `single ${round}`));
        ours.single.push(await ours.mounts.editAndWait(name, `single ${round}`));
        await current.is(name, ours.mounts.of(name));
      }
      say(`edit-to-patch: back to back, round ${round} of ${rounds}`);
      for (const side of [peer, ours]) {
        await settle(controller);
        const before = {
          seconds: controller.cpuSeconds(),
          requests: await controller.requests(),
          looks: await controller.reconciliations(),
        };
        for (const name of names) side.row.push(await side.mounts.editAndWait(name, `row ${round}`));
        if (side === peer) continue;
        await settle(controller);
        usedSeconds += controller.cpuSeconds() - before.seconds;
        requests += (await controller.requests()) - before.requests;
        reconciliations += (await controller.reconciliations()) - before.looks;
      }
    }
    for (let burst = 1; burst <= bursts; burst++) {
      say(`edit-to-patch: ${count} at once, ${burst} of ${bursts}`);
      for (const side of [peer, ours]) {
        await settle(controller);
        const began = performance.now();
        await inParallel(
          names,
          async (name) => {
            await side.mounts.editAndWait(name, `burst ${burst}`);
          },
          count,
        );
        side.burst.push((performance.now() - began) / 1000);
      }
    }
    // The first round warms up the just-in-time compilers and is not counted.
    const line = (what: string, which: 'single' | 'row', percent: number, budget: string): Figure => ({
      what: `${what}, p${percent}`,
      unit: 'ms',
      ours: percentile(ours[which].slice(count), percent),
      peer: percentile(peer[which].slice(count), percent),
      budget,
    });
    return {
      ours: 'controller',
      peer: 'sketch',
      how: `PATCH of a ConfigMap sent → Deployment with the new version observed on a watch; coalescing off, no pods; ${count * rounds} edits one by one, each after the previous version is current; as many back to back; then ${count} at once. The sketch does only GET, copy and patch`,
      figures: [
        line('one by one', 'single', 50, '≤ 10'),
        line('one by one', 'single', 99, '≤ 50'),
        line('back to back', 'row', 50, '–'),
        line('back to back', 'row', 99, '–'),
        {
          what: `${count} at once, last`,
          unit: 's',
          ours: percentile(ours.burst, 50),
          peer: percentile(peer.burst, 50),
          budget: '≤ 0.5',
        },
        { what: 'reconciliations per edit', unit: '', ours: reconciliations / (count * rounds) },
        { what: 'requests per edit', unit: '', ours: requests / (count * rounds) },
        { what: 'CPU time per edit', unit: 'ms', ours: (usedSeconds * 1000) / (count * rounds) },
      ],
    };
  } finally {
    stop.abort();
    await sketch.stop();
    await controller.stop();
  }
}
