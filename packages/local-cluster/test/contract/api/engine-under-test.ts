import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { openEngineWithPods } from '@trimtab/test-bed/engines/engine-with-pods.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngine, openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import type { Contract } from './contract.ts';

export interface EngineUnderTest {
  name: Engine['name'];
  open(): Promise<Engine>;
  /** Without kubectl, the cases that need it are skipped and reported by the tally. */
  hasKubectl: boolean;
}

/**
 * The cluster that TRIMTAB_BED names, which always has kubectl, or a local cluster in this process. Undefined when
 * TRIMTAB_ENGINE selects neither.
 */
export function chosenEngine({ options: { pods } }: Contract): EngineUnderTest | undefined {
  const name = process.env['TRIMTAB_ENGINE'];
  if (name === 'kubernetes') return { name, open: currentEngine, hasKubectl: true };
  if (name !== 'local') return undefined;
  const open = { none: openLocalEngine, simulated: openEngineWithPods, real: openEngineWithKubelet }[
    pods ?? 'none'
  ];
  return { name, open, hasKubectl: findKubectl() !== undefined };
}

function openEngineWithKubelet(): Promise<Engine> {
  return openLocalEngineWithNode({ refreshMs: 500, backOff: { baseMs: 500, maxMs: 2_000 } });
}
