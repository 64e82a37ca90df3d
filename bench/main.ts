import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { BedError } from '@trimtab/test-bed/cluster/terminal/bed-error.ts';
import { terminalProgress } from '@trimtab/test-bed/cluster/terminal/progress.ts';
import { exitWithUsage, toolArguments, wholeNumber } from '@trimtab/test-bed/tool-arguments.ts';
import { benchBed } from './bench-bed.ts';
import { BenchError } from './bench-error.ts';
import { renderComparison } from './comparison.ts';
import { gitCommit } from './git-commit.ts';
import { describeMachine, loadAverage } from './machine.ts';
import { reloaderBinary } from './reloader.ts';
import { repeatRow } from './repeat-row.ts';
import { least, limitMinutes, most, steadyShare } from './repetitions.ts';
import { renderReport } from './report.ts';
import type { Row } from './row.ts';
import type { RowResult } from './row-result.ts';
import { agentReload } from './rows/agent-reload.ts';
import { cli } from './rows/cli.ts';
import { controllerMemory } from './rows/controller-memory.ts';
import { crashToRevert } from './rows/crash-to-revert.ts';
import { editStorm } from './rows/edit-storm.ts';
import { editToPatch } from './rows/edit-to-patch.ts';
import { gatewayPassThrough } from './rows/gateway-pass-through.ts';
import { gatewayStreams } from './rows/gateway-streams.ts';
import { localApiServer } from './rows/local-api-server.ts';
import { localCluster } from './rows/local-cluster.ts';
import { metadataCache } from './rows/metadata-cache.ts';
import { reloadAcknowledged } from './rows/reload-acknowledged.ts';
import { watchLatency } from './rows/watch-latency.ts';
import { checkWritable, type RunDocument, readRun, schema, writeRun } from './run-document.ts';

const rows: readonly Row[] = [
  watchLatency,
  metadataCache,
  editToPatch,
  editStorm,
  controllerMemory,
  crashToRevert,
  gatewayPassThrough,
  gatewayStreams,
  agentReload,
  reloadAcknowledged,
  cli,
  localApiServer,
  localCluster,
];

const help = `Usage: npm run bench [-- ROW… --count N --repeat N --json --out FILE --against FILE]

Measures Trimtab on real Kubernetes: on the cluster that TRIMTAB_BED names, or on a cluster that it brings up and takes
down. Figures go to standard output, progress to standard error.

${rows.map(({ name, what }) => `  ${name.padEnd(20)} ${what}`).join('\n')}

A row is repeated ${least} to ${most} times: until the spread of each figure with a budget is at most ${steadyShare * 100} % of its median, or
${limitMinutes} minutes have passed. "43 ±3" is the median of the repetitions and their spread: three of four lie within it.

  --count N        number of objects or writes of a row, for a quick run; figures are comparable only with the same N
  --repeat N       run each row N times
  --json           print the figures as JSON
  --out FILE       write the figures as JSON to this file
  --against FILE   compare the figures with those of an earlier run, which --out has written
  -h, --help       print this text

RELOADER_BIN names the binary of Reloader. When it is set, Reloader is measured in edit-to-patch and edit-storm.
`;

function readArguments() {
  const { values, positionals } = toolArguments({
    help,
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      count: { type: 'string' },
      repeat: { type: 'string' },
      out: { type: 'string' },
      against: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !rows.some((row) => row.name === name));
  if (unknown.length > 0) exitWithUsage(help, `unknown row ${unknown.join(', ')}`);
  const count = wholeNumber(help, '--count', values.count);
  const repeat = wholeNumber(help, '--repeat', values.repeat);
  const chosen = rows.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const { json = false, out, against } = values;
  return { chosen, count, repeat, json, out, against };
}

type Arguments = ReturnType<typeof readArguments>;

/** Checks all that can be wrong before anything is measured. */
async function checkInputs({ count, out, against }: Arguments) {
  const reloader = await reloaderBinary(process.env['RELOADER_BIN']);
  if (out !== undefined) await checkWritable(out);
  if (against === undefined) return { reloader };
  const old = await readRun(against);
  if (old.count !== (count ?? null))
    throw new BenchError(
      `${against} was measured ${countText(old.count)}, this run is ${countText(count ?? null)}; use the same --count`,
    );
  return { reloader, compare: (run: RunDocument) => renderComparison(against, old, run) };
}

function countText(count: number | null): string {
  return count === null ? 'without --count' : `with --count ${count}`;
}

async function bench(given: Arguments): Promise<void> {
  const { chosen, count, repeat, json, out } = given;
  const { reloader, compare } = await checkInputs(given);
  const progress = terminalProgress();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const startedAt = new Date().toISOString();
  const start = loadAverage();
  const commit = await gitCommit();
  const bed = await benchBed(progress);
  const client = httpClient({
    access: await loadAccess({ kubeconfig: bed.kubeconfig }),
    log: silentLogger,
    userAgent: 'trimtab-bench',
  });
  try {
    const machine = await describeMachine(client);
    const results: RowResult[] = [];
    const say = (text: string) => progress.doing(text);
    for (const row of chosen) {
      stop.signal.throwIfAborted();
      progress.step(`${row.name}: ${row.what}`);
      const context = { client, bed: bed.file, count, reloader, signal: stop.signal, say };
      results.push(await repeatRow(row, context, repeat));
    }
    progress.step('done');
    const load = { start, end: loadAverage() };
    const run: RunDocument = { schema, startedAt, commit, count: count ?? null, machine, load, results };
    if (out !== undefined) await writeRun(out, run);
    console.log(json ? JSON.stringify(run, null, 2) : renderReport(run));
    // Standard output must remain one JSON document.
    if (compare !== undefined) (json ? console.error : console.log)(`\n${compare(run)}`);
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
  if (!(error instanceof BedError || error instanceof BenchError)) throw error;
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
