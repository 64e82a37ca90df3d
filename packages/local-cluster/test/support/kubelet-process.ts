import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { startKubelet } from '../../src/kubelet/kubelet.ts';
import { nodeName } from './kubelet-stage.ts';
import { plainSetup } from './plain-setup.ts';

/** Runs a kubelet in a separate process that a test can kill: `node kubelet-process.ts KUBECONFIG STATE-DIR`. */
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
