import { startController } from '../bench-controller.ts';
import { withNamespace } from '../bench-namespace.ts';
import type { BenchProcess } from '../bench-process.ts';
import { startSketch } from '../bench-sketch.ts';
import { createManaged, createPlain, edit, inParallel, wholeTemplate } from '../managed-deployments.ts';
import { percentile } from '../percentile.ts';
import { reloaderAnnotations, startReloader } from '../reloader.ts';
import type { BenchContext, Row } from '../row.ts';
import { settle } from '../settle.ts';
import { Templates } from '../templates.ts';

/** Budget: after 1,000 edits the last workload is patched within 10 s, and the controller sends no LIST. */
export const editStorm: Row = {
  name: 'edit-storm',
  what: 'from 1,000 edits of ConfigMaps within a second to the last patched workload',
  async run(context) {
    const { count = 1_000, client, reloader: binary, say } = context;
    const inNewNamespace = (run: (context: BenchContext, count: number) => Promise<StormFigures>) =>
      withNamespace(client, say, (namespace) => run({ ...context, namespace }, count));
    const peer = await inNewNamespace(ofSketch);
    const reloader =
      binary === undefined ? undefined : await inNewNamespace((inside) => ofReloader(binary, inside, count));
    const ours = await ofController(context, count);
    const all = (of: (figures: StormFigures) => number) => ({
      ours: of(ours),
      peer: of(peer),
      ...(reloader && { reloader: of(reloader) }),
    });
    return {
      ours: 'controller',
      peer: 'sketch',
      how: `${count} ConfigMaps edited by 32 writers; every workload was patched. The sketch does only GET, copy and patch`,
      figures: [
        { what: 'edits sent', unit: 's', ...all((of) => of.editedSeconds) },
        { what: 'last workload patched', unit: 's', ...all((of) => of.seconds), budget: { atMost: 10 } },
        { what: 'edit in another namespace meanwhile', unit: 'ms', ours: ours.neighbourMs },
        { what: 'LISTs by the controller', unit: '', ours: ours.lists, budget: { atMost: 0 } },
        { what: 'CPU time per edit', unit: 'ms', ...all((of) => (of.usedSeconds * 1000) / count) },
      ],
    };
  },
};

/** Edits in another namespace, one after the other. */
const neighbours = 30;

interface StormFigures {
  editedSeconds: number;
  seconds: number;
  usedSeconds: number;
}

async function ofSketch(context: BenchContext, count: number): Promise<StormFigures> {
  await createPlain(context, count);
  const sketch = await startSketch('sketch-process', context);
  try {
    return await withTemplates(context, (templates) => storm(context, count, templates, sketch));
  } finally {
    await sketch.stop();
  }
}

async function ofReloader(binary: string, context: BenchContext, count: number): Promise<StormFigures> {
  await createPlain(context, count, reloaderAnnotations);
  const watch = (signal: AbortSignal) => Templates.watch(context, signal, wholeTemplate);
  return await withTemplates(
    context,
    async (templates) => {
      const reloader = await startReloader(binary, context, templates);
      try {
        await settle(reloader, 3);
        return await storm(context, count, templates, reloader);
      } finally {
        await reloader.stop();
      }
    },
    watch,
  );
}

interface ControllerFigures extends StormFigures {
  lists: number;
  /** Median time from an edit to the patched workload in another namespace, while the storm goes on. */
  neighbourMs: number;
}

async function ofController(context: BenchContext, count: number): Promise<ControllerFigures> {
  return await withNamespace(context.client, context.say, async (namespace) => {
    const neighbour = { ...context, namespace };
    const controller = await startController(context, 'all namespaces');
    try {
      await createManaged(context, count);
      await createManaged(neighbour, neighbours);
      return await withTemplates(context, (templates) =>
        withTemplates(neighbour, async (neighbouring) => {
          context.say('edit-storm: waiting for the first versions to become current');
          await Promise.all(namesOf(count).map((name) => templates.changed(name, name)));
          await Promise.all(namesOf(neighbours).map((name) => neighbouring.changed(name, name)));
          await settle(controller, 3);
          const before = await controller.requests('list');
          const latencies: number[] = [];
          const measured = await storm(context, count, templates, controller, async (signal) => {
            for (const name of namesOf(neighbours))
              if (!signal.aborted) latencies.push(await neighbouring.editAndWait(name, 'storm'));
          });
          const lists = (await controller.requests('list')) - before;
          return { ...measured, lists, neighbourMs: percentile(latencies, 50) };
        }),
      );
    } finally {
      await controller.stop();
    }
  });
}

/** Runs `use` with the templates of the namespace, and closes their watch afterwards. */
async function withTemplates<T>(
  context: BenchContext,
  use: (templates: Templates) => Promise<T>,
  watch = (signal: AbortSignal) => Templates.watch(context, signal),
): Promise<T> {
  const stop = new AbortController();
  try {
    return await use(await watch(AbortSignal.any([stop.signal, context.signal])));
  } finally {
    stop.abort();
  }
}

/** Runs `meanwhile` until all workloads are patched. */
async function storm(
  context: BenchContext,
  count: number,
  templates: Templates,
  program: BenchProcess,
  meanwhile: (signal: AbortSignal) => Promise<void> = async () => {},
): Promise<StormFigures> {
  const names = namesOf(count);
  context.say(`edit-storm: ${count} edits`);
  const before = names.map((name) => templates.of(name));
  const cpuBefore = program.cpuSeconds();
  const began = performance.now();
  const patched = Promise.all(names.map((name, index) => templates.changed(name, before[index] ?? '')));
  await inParallel(names, (name) => edit(context, name, 'storm'));
  const editedSeconds = (performance.now() - began) / 1000;
  const over = new AbortController();
  const beside = meanwhile(over.signal);
  await patched;
  const seconds = (performance.now() - began) / 1000;
  over.abort();
  await beside;
  await settle(program);
  return { editedSeconds, seconds, usedSeconds: program.cpuSeconds() - cpuBefore };
}

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `app-${index}`);
}
