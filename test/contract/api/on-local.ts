import { openLocalEngine } from '../../support/local-engine.ts';
import type { Contract } from './contract.ts';
import { holdsOn } from './holds-on.ts';
import { pendingOnLocal } from './pending-on-local.ts';

/** Runs a contract on a local API server in this process; kubectl is there when TRIMTAB_KUBECTL names it. */
export function holdsOnLocal(contract: Contract): void {
  const hasKubectl = process.env['TRIMTAB_KUBECTL'] !== undefined;
  holdsOn({ name: 'local', open: openLocalEngine, hasKubectl, pending: pendingOnLocal }, contract);
}
