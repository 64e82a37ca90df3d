import { runSeeds } from './run-seeds.ts';

/** Runs the seeds of its arguments and reports each run to its parent. Exits when the parent is gone. */
const onOrphaned = () => process.exit(1);
process.once('disconnect', onOrphaned);
for await (const report of runSeeds(process.argv.slice(2).map(Number))) process.send?.(report);
process.off('disconnect', onOrphaned);
process.disconnect?.();
