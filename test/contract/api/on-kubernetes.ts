import { currentEngine } from '../../support/engine.ts';
import type { Contract } from './contract.ts';
import { holdsOn } from './holds-on.ts';

/** Runs a contract on the cluster that TRIMTAB_BED names; a bed always has its kubectl. */
export function holdsOnKubernetes(contract: Contract): void {
  holdsOn({ name: 'kubernetes', open: currentEngine, hasKubectl: true }, contract);
}
