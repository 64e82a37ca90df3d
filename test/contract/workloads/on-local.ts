import type { Engine } from '../../support/engine.ts';
import { findKubectl } from '../../support/find-kubectl.ts';
import { simulatePods } from '../../support/local/pod-simulator.ts';
import { openLocalEngine } from '../../support/local-engine.ts';
import type { Contract } from '../api/contract.ts';
import { holdsOn } from '../api/holds-on.ts';

/** Runs a contract on a local cluster in this process, with pods that are simulated as on a bed of level 1. */
export function holdsOnLocalPods(contract: Contract): void {
  const hasKubectl = findKubectl() !== undefined;
  holdsOn({ name: 'local', open: openEngineWithPods, hasKubectl }, contract);
}

export async function openEngineWithPods(): Promise<Engine> {
  const engine = await openLocalEngine();
  const simulator = await simulatePods(await engine.connect());
  const { close } = engine;
  engine.close = async () => {
    await simulator.close();
    await close.call(engine);
  };
  return engine;
}
