import { startController } from '../bench-controller.ts';
import { withNamespace } from '../bench-namespace.ts';
import { startSketch } from '../bench-sketch.ts';
import { createManaged, createPlain, edit, inParallel } from '../managed-deployments.ts';
import { Mounts } from '../mounts.ts';
import type { BenchContext, Row } from '../row.ts';
import { settle } from '../settle.ts';

/** Budget: after 1,000 edits the last workload is patched within 10 s, and the controller sends no LIST. */
export const editStorm: Row = {
  name: 'edit-storm',
  what: 'from 1,000 edits of ConfigMaps within a second to the last patched workload',
  async run(context) {
    const { count = 1_000, client, say } = context;
    const peer = await withNamespace(client, say, (namespace) => ofSketch({ ...context, namespace }, count));
    const ours = await ofController(context, count);
    return {
      ours: 'controller',
      peer: 'sketch',
      how: `${count} ConfigMaps edited by 32 writers; every workload was patched. The sketch does only GET, copy and patch`,
      figures: [
        { what: 'edits sent', unit: 's', ours: ours.editedSeconds, peer: peer.editedSeconds },
        {
          what: 'last workload patched',
          unit: 's',
          ours: ours.seconds,
          peer: peer.seconds,
          budget: '≤ 10',
        },
        { what: 'LISTs by the controller', unit: '', ours: ours.lists, budget: '0' },
        { what: 'CPU time per edit', unit: 'ms', ours: (ours.usedSeconds * 1000) / count },
      ],
    };
  },
};

async function ofSketch(context: BenchContext, count: number) {
  await createPlain(context, count);
  const sketch = await startSketch(context, context.namespace);
  try {
    return await storm(context, count, async () => {});
  } finally {
    await sketch.stop();
  }
}

async function ofController(context: BenchContext, count: number) {
  const controller = await startController(context);
  try {
    await createManaged(context, count);
    const before = { lists: 0, seconds: 0 };
    const measured = await storm(context, count, async (mounts, names) => {
      context.say('edit-storm: waiting for the first versions to become current');
      await Promise.all(names.map((name) => mounts.changed(name, name)));
      await settle(controller, 3);
      before.lists = await controller.requests('list');
      before.seconds = controller.cpuSeconds();
    });
    const lists = (await controller.requests('list')) - before.lists;
    await settle(controller);
    return { ...measured, lists, usedSeconds: controller.cpuSeconds() - before.seconds };
  } finally {
    await controller.stop();
  }
}

async function storm(
  context: BenchContext,
  count: number,
  prepare: (mounts: Mounts, names: readonly string[]) => Promise<void>,
): Promise<{ editedSeconds: number; seconds: number }> {
  const names = Array.from({ length: count }, (_, index) => `app-${index}`);
  const stop = new AbortController();
  try {
    const mounts = await Mounts.watch(context, AbortSignal.any([stop.signal, context.signal]));
    await prepare(mounts, names);
    const before = names.map((name) => mounts.of(name));
    const began = performance.now();
    const patched = Promise.all(names.map((name, index) => mounts.changed(name, before[index] ?? '')));
    await inParallel(names, (name) => edit(context, name, 'storm'));
    const editedSeconds = (performance.now() - began) / 1000;
    await patched;
    return { editedSeconds, seconds: (performance.now() - began) / 1000 };
  } finally {
    stop.abort();
  }
}
