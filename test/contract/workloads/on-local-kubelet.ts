import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKubelet } from '../../../src/local/kubelet/kubelet.ts';
import { setUpContainers } from '../../../src/local/kubelet/set-up-containers.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import type { Engine } from '../../support/engine.ts';
import { findKubectl } from '../../support/find-kubectl.ts';
import { openLocalEngine } from '../../support/local-engine.ts';
import { silentLogger } from '../../support/silent-logger.ts';
import type { Contract } from '../api/contract.ts';
import { holdsOn } from '../api/holds-on.ts';

/** Runs a contract on a local cluster in this process whose pods are processes of this machine. */
export function holdsOnLocalKubelet(contract: Contract): void {
  const hasKubectl = findKubectl() !== undefined;
  holdsOn({ name: 'local', open: openEngineWithKubelet, hasKubectl }, contract);
}

async function openEngineWithKubelet(): Promise<Engine> {
  const engine = await openLocalEngine();
  const stateDir = await mkdtemp(join(tmpdir(), 'trimtab-node-'));
  const client = await engine.connect();
  const { hostname: host, port } = new URL((await engine.access()).server);
  const setup = await setUpContainers({
    client,
    clock: systemClock,
    log: silentLogger,
    folder: stateDir,
    refreshMs: 500,
    apiServer: { host, port: Number(port) },
  });
  const backOff = { baseMs: 500, maxMs: 2_000 };
  const kubelet = startKubelet({ client, log: silentLogger, stateDir, nodeName: 'local', setup, backOff });
  await kubelet.ready;
  const { close } = engine;
  engine.close = async () => {
    await kubelet.close(0);
    await setup.close();
    await rm(stateDir, { recursive: true, force: true });
    await close.call(engine);
  };
  return engine;
}
