import { type BenchController, startController } from './bench-controller.ts';
import type { BenchProcess } from './bench-process.ts';
import { startSketch } from './bench-sketch.ts';
import { createManaged, createPlain, wholeTemplate } from './managed-deployments.ts';
import { reloaderAnnotations, startReloader } from './reloader.ts';
import type { BenchContext } from './row.ts';
import { settle } from './settle.ts';
import { Templates } from './templates.ts';

/** The namespaces of the programs that are compared. */
export interface Contexts {
  ours: BenchContext;
  sketch: BenchContext;
  reloader: (BenchContext & { binary: string }) | undefined;
}

/** One program with its own namespace and objects. */
export interface Side {
  context: BenchContext;
  program: BenchProcess;
  templates: Templates;
}

/** The controller and its peers, at work on the same number of Deployments. */
export class EditSides {
  readonly ours: Side;
  readonly sketch: Side;
  readonly reloader: Side | undefined;
  readonly controller: BenchController;

  private constructor(controller: BenchController, ours: Side, sketch: Side, reloader: Side | undefined) {
    this.controller = controller;
    this.ours = ours;
    this.sketch = sketch;
    this.reloader = reloader;
  }

  /** Runs `use` with the started programs, and stops them afterwards. */
  static async with<T>(contexts: Contexts, count: number, use: (sides: EditSides) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const until = AbortSignal.any([stop.signal, contexts.ours.signal]);
    const running: BenchProcess[] = [];
    const started = <P extends BenchProcess>(program: P): P => {
      running.push(program);
      return program;
    };
    try {
      const controller = started(await startController(contexts.ours));
      const program = started(await startSketch('sketch-process', contexts.sketch));
      await createPlain(contexts.sketch, count);
      await createManaged(contexts.ours, count);
      const ours = {
        context: contexts.ours,
        program: controller,
        templates: await Templates.watch(contexts.ours, until),
      };
      const sketch = {
        context: contexts.sketch,
        program,
        templates: await Templates.watch(contexts.sketch, until),
      };
      const reloader = contexts.reloader && (await reloaderSide(contexts.reloader, count, until));
      if (reloader !== undefined) started(reloader.program);
      return await use(new EditSides(controller, ours, sketch, reloader));
    } finally {
      stop.abort();
      for (const program of running) await program.stop();
    }
  }

  get all(): readonly Side[] {
    return [this.sketch, ...(this.reloader === undefined ? [] : [this.reloader]), this.ours];
  }

  /** Waits until no program has work. */
  settle(): Promise<void> {
    const sum = (total: number, { program }: Side) => total + program.cpuSeconds();
    return settle({ cpuSeconds: () => this.all.reduce(sum, 0) });
  }
}

async function reloaderSide(
  context: BenchContext & { binary: string },
  count: number,
  until: AbortSignal,
): Promise<Side> {
  await createPlain(context, count, reloaderAnnotations);
  const templates = await Templates.watch(context, until, wholeTemplate);
  return { context, templates, program: await startReloader(context.binary, context, templates) };
}
