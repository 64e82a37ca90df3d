import { loadAccess } from '../../../src/kube/identity/load-access.ts';
import { httpClient } from '../../../src/kube/transport/http-client.ts';
import { startKubelet } from '../../../src/local/kubelet/kubelet.ts';
import { silentLogger } from '../silent-logger.ts';
import { nodeName } from './kubelet-stage.ts';
import { plainSetup } from './plain-setup.ts';

/** A kubelet in a process of its own, which a test can kill: `node kubelet-process.ts KUBECONFIG STATE-DIR`. */
const [, , kubeconfig = '', stateDir = ''] = process.argv;
const access = await loadAccess({ kubeconfig });
const client = httpClient({ access, log: silentLogger });
const kubelet = startKubelet({
  client,
  log: silentLogger,
  stateDir,
  nodeName,
  setup: plainSetup(),
  backOff: { baseMs: 50, maxMs: 1_000 },
});
await kubelet.ready;
process.stdout.write('ready\n');
