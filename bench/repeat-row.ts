import { withNamespace } from './bench-namespace.ts';
import { loadAverage } from './machine.ts';
import { repeatAgain, steadyShare } from './repetitions.ts';
import type { BenchContext, Measurement, Row } from './row.ts';
import { combine, type RowResult, unsteady } from './row-result.ts';

/** Repeats a row until its spread is known. Each repetition has a new namespace, unless the row prepares one. */
export async function repeatRow(
  row: Row,
  context: Omit<BenchContext, 'namespace'>,
  fixed: number | undefined,
): Promise<RowResult> {
  const start = loadAverage();
  const began = performance.now();
  const inNamespace = <T>(use: (context: BenchContext) => Promise<T>) =>
    withNamespace(context.client, context.say, (namespace) => use({ ...context, namespace }));
  const { prepare } = row;
  const measured =
    prepare === undefined
      ? await repeat(fixed, context.signal, () => inNamespace((inside) => row.run(inside)))
      : await inNamespace(async (inside) => {
          await prepare(inside);
          return await repeat(fixed, context.signal, () => row.run(inside));
        });
  const [{ ours, peer, how }] = measured;
  return {
    row: row.name,
    ours,
    peer,
    how,
    repetitions: measured.length,
    seconds: Math.round((performance.now() - began) / 1000),
    load: { start, end: loadAverage() },
    figures: combine(measured),
  };
}

async function repeat(
  fixed: number | undefined,
  signal: AbortSignal,
  run: () => Promise<Measurement>,
): Promise<[Measurement, ...Measurement[]]> {
  const began = performance.now();
  const measured: [Measurement, ...Measurement[]] = [await run()];
  for (;;) {
    signal.throwIfAborted();
    const steady = unsteady(combine(measured), steadyShare).length === 0;
    const progress = { repetitions: measured.length, steady, elapsedMs: performance.now() - began };
    if (!repeatAgain(progress, fixed)) return measured;
    measured.push(await run());
  }
}
