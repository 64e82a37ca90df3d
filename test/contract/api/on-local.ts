import { findKubectl } from '../../support/find-kubectl.ts';
import { openLocalEngine } from '../../support/local-engine.ts';
import type { Contract } from './contract.ts';
import { holdsOn } from './holds-on.ts';

/** Runs a contract on a local API server in this process; kubectl's cases where there is a kubectl. */
export function holdsOnLocal(contract: Contract): void {
  const hasKubectl = findKubectl() !== undefined;
  holdsOn({ name: 'local', open: openLocalEngine, hasKubectl }, contract);
}
