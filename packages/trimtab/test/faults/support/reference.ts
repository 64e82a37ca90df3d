import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Scenario } from './scenario.ts';
import { type Performance, Stage } from './stage.ts';

const references = new Map<Scenario, Promise<Performance>>();

/** Returns the result of a scenario without faults. It runs once, and all other runs are compared with it. */
export function undisturbed(engine: Engine, scenario: Scenario): Promise<Performance> {
  const known = references.get(scenario) ?? tell(engine, scenario);
  references.set(scenario, known);
  // Tests that await the reference get its error. Without this handler, a test that failed earlier would cause an
  // unhandled rejection.
  known.catch(() => {});
  return known;
}

async function tell(engine: Engine, scenario: Scenario): Promise<Performance> {
  await using stage = await Stage.open(engine);
  await stage.controllers.start();
  const told = await stage.play(scenario);
  if (told.violations.length > 0) throw new Error(`Undisturbed, too: ${told.violations.join('; ')}`);
  return told;
}
