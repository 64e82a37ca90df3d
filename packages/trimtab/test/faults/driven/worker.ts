import { runSeeds } from './run-seeds.ts';

/** Runs the seeds that it is given, and tells its parent of each; without a parent there is nobody to run for. */
const onOrphaned = () => process.exit(1);
process.once('disconnect', onOrphaned);
for await (const report of runSeeds(process.argv.slice(2).map(Number))) process.send?.(report);
process.off('disconnect', onOrphaned);
process.disconnect?.();
