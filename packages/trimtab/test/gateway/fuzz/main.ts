import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { toolArguments, wholeNumber } from '@trimtab/test-bed/tool-arguments.ts';
import { controllerOf } from '../support/controller-of.ts';
import { pathsOfPods, startFuzzScene, withNamesOf } from './fuzz-scene.ts';

const help = `Usage: npm run fuzz [-- flags] [-- ARGS OF SCHEMATHESIS]

Sends requests that schemathesis generates from the OpenAPI document to a gateway in front of a local cluster, and checks the
responses against the document. Needs schemathesis 4 (pip install schemathesis).

  --examples N          requests for each operation and phase; defaults to 50
  --seconds N           time limit of the whole run; defaults to 300
  --seed N              seed of the requests; defaults to 1
  --schemathesis FILE   the program; defaults to schemathesis on the PATH
  -h, --help            print this text
`;

const { values, positionals } = toolArguments({
  help,
  options: {
    examples: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    schemathesis: { type: 'string' },
  },
  allowPositionals: true,
});
const examples = wholeNumber(help, '--examples', values.examples) ?? 50;
const seconds = wholeNumber(help, '--seconds', values.seconds) ?? 300;
const seed = wholeNumber(help, '--seed', values.seed) ?? 1;
// Fuzzing is for the gateway, so it always runs against a local cluster.
process.env['TRIMTAB_ENGINE'] = 'local';

const documentFile = fileURLToPath(
  new URL('../../../../../docs/reference/gateway-openapi.json', import.meta.url),
);
const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-fuzz-'));
const { scene, names, userToken, podToken } = await startFuzzScene();
const controller = await controllerOf(scene);
try {
  const document = withNamesOf(JSON.parse(await readFile(documentFile, 'utf8')), names);
  const file = path.join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const argsFor = (token: string, maxSeconds: number) => [
    ...['run', file, '--url', scene.gateway.url, '--header', `Authorization: Bearer ${token}`],
    ...['--phases', 'examples,coverage,fuzzing', '--max-examples', String(examples), '--seed', String(seed)],
    // Anonymous callers get what RBAC says (403, not 401), other methods are Kubernetes' own, and whether a config exists or
    // a name is taken is not in the schema.
    ...['--exclude-checks', 'missing_required_header,unsupported_method,positive_data_acceptance'],
    ...['--max-time', String(maxSeconds), '--continue-on-failure', '--output-sanitize', 'true'],
    ...positionals,
  ];
  const run = async (args: string[]) => {
    const child = spawn(values.schemathesis ?? 'schemathesis', args, { cwd: folder, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) process.exitCode = code ?? 1;
  };
  const ofPods = Math.ceil(seconds / 5);
  await run([
    ...argsFor(podToken, ofPods),
    '--include-path-regex',
    pathsOfPods.source,
    '--exclude-method',
    'PUT',
  ]);
  await run(argsFor(userToken, seconds - ofPods));
} finally {
  await controller.stop();
  await scene.close();
  await rm(folder, { recursive: true });
}
