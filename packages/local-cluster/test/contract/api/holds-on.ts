import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Contract } from './contract.ts';
import { differences } from './differences.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import { Target } from './target.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** Written to vitest's JSON report, from which the tally reads it. */
    contract?: { engine: Engine['name']; case: string };
  }
}

/** Registers all cases of a contract as tests on one engine. */
export function holdsOn(
  { name: engine, open, hasKubectl }: EngineUnderTest,
  { area, cases, options: { atOnce = false, timeoutMs } }: Contract,
): void {
  const elsewhere = new Set(
    differences.filter(({ only }) => only !== engine).map((difference) => difference.case),
  );
  describe(`${area} (${engine})`, { concurrent: atOnce }, () => {
    let target: Target;
    beforeAll(async () => {
      target = await Target.open(await open());
    });
    afterAll(() => target?.close());
    for (const { name, body, options } of cases) {
      const id = `${area}: ${name}`;
      if (elsewhere.has(id)) continue;
      const skip = options.needs === 'kubectl' && !hasKubectl;
      const limit = options.timeoutMs ?? timeoutMs;
      const timeout = limit === undefined ? {} : { timeout: limit };
      test(name, { skip, meta: { contract: { engine, case: id } }, ...timeout }, () => body(target));
    }
  });
}
