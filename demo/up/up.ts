import { createWriteStream, existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { systemClock } from '@trimtab/kube/clock.ts';
import { OperationalError } from '@trimtab/kube/errors.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program } from '@trimtab/kube/flags/program.ts';
import type { Command } from '@trimtab/kube/flags/run-command.ts';
import { createLogger, type Logger } from '@trimtab/kube/log/log.ts';
import { installShutdown, type Shutdown } from '@trimtab/kube/shutdown.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { writePrivate } from '@trimtab/local-cluster/apiserver/state/state-dir.ts';
import { accessTo, type LocalCluster, startLocalCluster } from '@trimtab/local-cluster/local-cluster.ts';
import { Screen } from 'trimtab/cli/output/screen.ts';
import { demoObjects } from '../app/demo-manifests.ts';
import { applyObjects, objectsIn } from './apply-objects.ts';
import { banner } from './banner.ts';
import { colouredLine } from './coloured-line.ts';
import { curlOptions } from './curl-options.ts';
import { demoAddress } from './demo-address.ts';
import { demoChanges } from './demo-changes.ts';
import { followRollouts } from './follow-rollouts.ts';
import { declaredPrograms, imagesFrom } from './images.ts';
import { type KeyActions, listenForKeys } from './keys.ts';
import { LinePrinter } from './line-printer.ts';
import { liveTree } from './live-tree.ts';
import { startTrimtab } from './start-trimtab.ts';
import { lockState, type StateLock } from './state-lock.ts';
import { upKubeconfig } from './up-kubeconfig.ts';

const program = {
  name: 'npm start --',
  envPrefix: 'TRIMTAB',
  summary:
    'Runs a Kubernetes cluster in one process, with Trimtab and a demo app. Pods are processes on this machine.',
  flags: {
    stateDir: {
      type: 'string',
      default: './.trimtab',
      placeholder: 'FOLDER',
      help: 'Folder for the state of the cluster: objects, certificates, kubeconfig, pods and their logs.',
    },
    port: { type: 'port', default: 7443, help: 'Port of the API server; 0 picks a free port.' },
    gatewayPort: {
      type: 'port',
      help: 'Port of the gateway; 0 picks a free port. Defaults to 7444, or to 0 with --port 0.',
    },
    demo: { type: 'boolean', default: true, help: 'Deploy the demo app.' },
    fresh: { type: 'boolean', help: 'Delete the cluster in the state folder before the start.' },
    filename: {
      type: 'list',
      short: 'f',
      placeholder: 'FILE',
      help: 'Manifest to apply at the start; may be repeated.',
    },
    image: {
      type: 'list',
      placeholder: 'NAME=PROGRAM',
      help: 'Program to run for an image, such as \'nginx=/usr/sbin/nginx -g "daemon off;"\'; may be repeated.',
    },
    podAddresses: {
      type: 'choice',
      choices: ['auto', 'own', 'shared'],
      default: 'auto',
      help: 'Addresses of pods. own: one loopback address per pod. shared: all pods share 127.0.0.1 and listen on $PORT. auto: own where the system supports it.',
    },
    mounts: {
      type: 'choice',
      choices: ['auto', 'namespaces', 'folders'],
      default: 'auto',
      help: 'Location of volumes. namespaces: at their real paths. folders: below $POD_ROOT. auto: namespaces where the system supports them.',
    },
    logLevel: {
      type: 'choice',
      choices: ['debug', 'info', 'warn', 'error'],
      default: 'info',
      help: 'Minimum level of the messages in up.log in the state folder.',
    },
  },
  examples: [
    { does: 'Start the cluster with the demo', command: 'npm start' },
    {
      does: 'Start a second cluster on free ports',
      command: 'npm start -- --state-dir /tmp/second --port 0',
    },
    {
      does: 'Start with your own manifests and without the demo',
      command: 'npm start -- --no-demo -f app.yaml',
    },
  ],
} as const;

const usualGatewayPort = 7444;

/** Longer than the default termination grace period of pods, which is 30 s. */
const shutdownMs = 40_000;

/** `npm start --` and `trimtab up` are the same program under two names. */
export function upCommand(name: string = program.name): Command {
  const examples = program.examples.map(({ does, command }) => ({
    does,
    command: name === program.name ? command : command.replace(/^npm start( --)?/, name),
  }));
  const declared = { ...program, name, examples };
  return { program: declared, run: (argv) => run(declared, argv) };
}

async function run(declared: Program<typeof program.flags>, argv: string[]): Promise<number | undefined> {
  const parsed = parseConfig(declared, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { flags } = parsed;
  const stateDir = resolve(flags.stateDir);
  const manifests = flags.filename.flatMap(objectsIn);
  const holder = lockState(stateDir, systemClock.now());
  if (flags.fresh) holder.clear();
  const log = logTo(stateDir, flags.logLevel);
  const shutdown = installShutdown({ log, deadlineMs: shutdownMs });
  shutdown.onClose('holder', () => holder.release());
  try {
    await bringUp({ ...flags, stateDir, manifests, holder }, log, shutdown);
  } catch (error) {
    if (shutdown.signal.aborted) return undefined;
    // The log file contains the details; the message also goes to the terminal.
    process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
    shutdown.end(error);
  }
  return undefined;
}

interface UpOptions {
  stateDir: string;
  port: number;
  gatewayPort: number | undefined;
  demo: boolean;
  image: readonly string[];
  podAddresses: 'auto' | 'own' | 'shared';
  mounts: 'auto' | 'namespaces' | 'folders';
  manifests: readonly KubeObject[];
  holder: StateLock;
}

async function bringUp(options: UpOptions, log: Logger, shutdown: Shutdown): Promise<void> {
  const { stateDir, holder } = options;
  const cluster = await startLocalCluster({
    stateDir,
    port: options.port,
    portFlag: '--port',
    log,
    loadBalancers: true,
    node: {
      images: imagesFrom(options.image),
      programs: declaredPrograms,
      ...(options.podAddresses !== 'auto' && { podAddresses: options.podAddresses }),
      ...(options.mounts !== 'auto' && { mounts: options.mounts }),
    },
  }).catch((error: unknown) => {
    if (
      error instanceof OperationalError &&
      error.message.includes('the database is in use by another process')
    )
      holder.refuse(error);
    throw error;
  });
  shutdown.onClose('cluster', () => cluster.close());
  // A second signal exits without a graceful shutdown; the pods must not outlive this process.
  process.once('exit', () => cluster.node?.killAll());
  const admin = httpClient({ access: accessTo(cluster), log, userAgent: 'trimtab-up' });
  shutdown.onClose('client', () => admin.close());
  const gatewayPort = options.gatewayPort ?? (options.port === 0 ? 0 : usualGatewayPort);
  const { gateway } = await startTrimtab({ admin, cluster, gatewayPort, log, shutdown });
  const files = writeAccess(stateDir, cluster, gateway);
  await applyObjects(admin, [...(options.demo ? demoObjects() : []), ...options.manifests]);
  const demo = options.demo ? await demoAddress(admin, shutdown.signal) : undefined;
  const screen = new Screen(process.stdout, process.env);
  screen.write(
    banner(
      {
        ...(demo !== undefined && { demo }),
        ...files,
        gateway: gateway.url,
        api: cluster.url,
        pods: cluster.node?.about ?? [],
        hasKeys: process.stdin.isTTY,
        hasKubectl: isOnPath('kubectl'),
        home: homedir(),
      },
      screen,
    ),
  );
  const printer = new LinePrinter((text) => screen.write(text));
  const following = followRollouts(admin, log, shutdown.signal, screen, (line) => printer.print(line));
  shutdown.onClose('happenings', () => following.catch(() => {}));
  const keys = options.demo ? demoKeys(admin, files.kubeconfig, printer) : { actions: {}, views: {} };
  const print = (line: string) => printer.print(colouredLine(line, screen));
  const end = listenForKeys(process.stdin, { ...keys, quit: () => shutdown.end(), print });
  shutdown.onClose('keys', end);
}

function demoKeys(
  admin: KubeClient,
  kubeconfig: string,
  printer: LinePrinter,
): Pick<KeyActions, 'actions' | 'views'> {
  const t = () => {
    printer.print('');
    printer.hold();
    const view = liveTree(kubeconfig, process);
    const closed = view.closed.finally(() => {
      printer.release('');
    });
    return { ...view, closed };
  };
  return { actions: demoChanges(admin), views: { t } };
}

/** Writes the kubeconfig, and options of curl for requests to the gateway. */
function writeAccess(stateDir: string, cluster: LocalCluster, gateway: { url: string; authority: string }) {
  const kubeconfig = join(stateDir, 'kubeconfig');
  const gatewayAuthorityFile = join(stateDir, 'gateway-ca.crt');
  const api = { url: cluster.url, authority: cluster.authority };
  writePrivate(kubeconfig, upKubeconfig({ api, gateway, token: cluster.adminToken }));
  writePrivate(gatewayAuthorityFile, gateway.authority);
  const curlFile = join(stateDir, 'curlrc');
  writePrivate(curlFile, curlOptions(gatewayAuthorityFile, cluster.adminToken));
  return { kubeconfig, curlFile: fromHere(curlFile) };
}

/** A path as it is typed in the folder of this process. */
function fromHere(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? file : path;
}

function logTo(stateDir: string, level: string): Logger {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const destination = createWriteStream(join(stateDir, 'up.log'), { flags: 'a', mode: 0o600 });
  return createLogger({ program: 'trimtab-up', level, destination });
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
