import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import type { Scenario } from './scenario.ts';
import { type Performance, Stage } from './stage.ts';

const references = new Map<Scenario, Promise<Performance>>();

/** How a scenario ends when nobody disturbs it: told once, and what every other telling is held against. */
export function undisturbed(engine: Engine, scenario: Scenario): Promise<Performance> {
  const known = references.get(scenario) ?? tell(engine, scenario);
  references.set(scenario, known);
  // Whoever compares with it hears of its failure; a test that failed before that must not hear of it twice.
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
