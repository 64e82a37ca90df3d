import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { BedError } from '@trimtab/test-bed/cluster/terminal/bed-error.ts';
import { terminalProgress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { exitWithUsage, toolArguments, wholeNumber } from '@trimtab/test-bed/tool-arguments.ts';
import { benchBed } from './bench-bed.ts';
import { withNamespace } from './bench-namespace.ts';
import { describeMachine } from './machine.ts';
import { type Result, renderReport } from './report.ts';
import type { Row } from './row.ts';
import { controllerMemory } from './rows/controller-memory.ts';
import { crashToRevert } from './rows/crash-to-revert.ts';
import { editStorm } from './rows/edit-storm.ts';
import { editToPatch } from './rows/edit-to-patch.ts';
import { gatewayPassThrough } from './rows/gateway-pass-through.ts';
import { gatewayStreams } from './rows/gateway-streams.ts';
import { localApiServer } from './rows/local-api-server.ts';
import { localCluster } from './rows/local-cluster.ts';
import { metadataCache } from './rows/metadata-cache.ts';
import { watchLatency } from './rows/watch-latency.ts';

const rows: readonly Row[] = [
  watchLatency,
  metadataCache,
  editToPatch,
  editStorm,
  controllerMemory,
  crashToRevert,
  gatewayPassThrough,
  gatewayStreams,
  localApiServer,
  localCluster,
];

const help = `Usage: npm run bench [-- ROW… --json --count N]

Measures Trimtab on real Kubernetes: on the cluster that TRIMTAB_BED names, or on a cluster that it brings up and takes
down. Figures go to standard output, progress to standard error.

${rows.map(({ name, what }) => `  ${name.padEnd(20)} ${what}`).join('\n')}

  --json           print the figures as JSON
  --count N        number of objects or writes of a row, for a quick run; only figures without --count are comparable
  -h, --help       print this text
`;

function readArguments() {
  const { values, positionals } = toolArguments({
    help,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, count: { type: 'string' } },
  });
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) exitWithUsage(help, `unknown row ${unknown.join(', ')}`);
  const count = wholeNumber(help, '--count', values.count);
  const chosen = rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  return { chosen, count, json: values.json ?? false };
}

async function bench({ chosen, count, json }: ReturnType<typeof readArguments>): Promise<void> {
  const progress = terminalProgress();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const bed = await benchBed(progress);
  const client = httpClient({
    access: await loadAccess({ kubeconfig: bed.kubeconfig }),
    log: silentLogger,
    userAgent: 'trimtab-bench',
  });
  try {
    const machine = await describeMachine(client);
    const results: Result[] = [];
    const say = (text: string) => progress.doing(text);
    for (const row of chosen) {
      stop.signal.throwIfAborted();
      progress.step(`${row.name}: ${row.what}`);
      const context = { client, bed: bed.file, count, signal: stop.signal, say };
      const measured = await withNamespace(client, say, (namespace) => row.run({ ...context, namespace }));
      results.push({ row: row.name, ...measured });
    }
    progress.step('done');
    console.log(json ? JSON.stringify({ machine, results }, null, 2) : renderReport(machine, results));
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    progress.step('interrupted');
    process.exitCode = 130;
  } finally {
    client.close();
    await bed.close();
  }
}

try {
  await bench(readArguments());
} catch (error) {
  if (!(error instanceof BedError)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
