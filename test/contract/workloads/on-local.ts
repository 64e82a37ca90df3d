import { findKubectl } from '../../support/find-kubectl.ts';
import { openEngineWithPods } from '../../support/local/engine-with-pods.ts';
import type { Contract } from '../api/contract.ts';
import { holdsOn } from '../api/holds-on.ts';

/** Runs a contract on a local cluster in this process, with pods that are simulated as on a bed of level 1. */
export function holdsOnLocalPods(contract: Contract): void {
  const hasKubectl = findKubectl() !== undefined;
  holdsOn({ name: 'local', open: openEngineWithPods, hasKubectl }, contract);
}
