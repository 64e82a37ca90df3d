import { runSeeds } from './run-seeds.ts';

/** Runs the seeds that it is given, and tells its parent of each. */
for await (const report of runSeeds(process.argv.slice(2).map(Number))) process.send?.(report);
process.disconnect?.();
