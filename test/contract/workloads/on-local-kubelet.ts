import type { Engine } from '../../support/engine.ts';
import { findKubectl } from '../../support/find-kubectl.ts';
import { openLocalEngineWithNode } from '../../support/local-engine.ts';
import type { Contract } from '../api/contract.ts';
import { holdsOn } from '../api/holds-on.ts';

/** Runs a contract on a local cluster in this process whose pods are processes of this machine. */
export function holdsOnLocalKubelet(contract: Contract): void {
  const hasKubectl = findKubectl() !== undefined;
  holdsOn({ name: 'local', open: openEngineWithKubelet, hasKubectl }, contract);
}

function openEngineWithKubelet(): Promise<Engine> {
  return openLocalEngineWithNode({ refreshMs: 500, backOff: { baseMs: 500, maxMs: 2_000 } });
}
