import { simulatePods } from '../simulated-pods/pod-simulator.ts';
import type { Engine } from './engine.ts';
import { openLocalEngine } from './local-engine.ts';

/** A local cluster in this process with simulated pods, as on a level-1 bed. */
export async function openEngineWithPods(): Promise<Engine> {
  const engine = await openLocalEngine();
  const simulator = await simulatePods(await engine.connect());
  engine.capabilities.simulatedPods = true;
  const { close } = engine;
  engine.close = async () => {
    await simulator.close();
    await close.call(engine);
  };
  return engine;
}
