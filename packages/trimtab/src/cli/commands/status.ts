import type { KubeClient } from '@trimtab/kube/client.ts';
import { type ConfigRollout, configRollouts } from '../../api/config-rollout.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { readRollout } from '../../versions/read-config.ts';
import type { RolloutTree } from '../../view/rollout-tree.ts';
import { clientCommand } from '../client-command.ts';
import { whyNoRollout } from '../cluster/find-rollout.ts';
import { readRollouts, readTreeSource, treeOf } from '../cluster/tree-source.ts';
import { exitCodes, reportFailure } from '../failure.ts';
import { RolloutFollower } from '../follow-rollout.ts';
import { configArgument, typedName } from '../object-argument.ts';
import { type OutputFormat, outputFlag, outputFormat, renderObject } from '../output/format.ts';
import { renderStatusTable } from '../output/render-status-table.ts';
import { renderTree } from '../output/render-tree.ts';
import type { Screen } from '../output/screen.ts';
import { type ProgressOptions, showProgress } from '../show-progress.ts';

export const { program, run } = clientCommand(
  {
    name: 'trimtab status',
    summary:
      'Shows what is current, what is being rolled out, and why something waits or failed: all configs of the namespace, or the tree of workloads and pods of some.',
    positionals: {
      configs: {
        many: true,
        help: 'Configs as TYPE/NAME; a bare name is a ConfigMap. Defaults to all.',
        completes: 'managed-config',
      },
    },
    flags: {
      watch: { type: 'boolean', short: 'w', help: 'Keep the state on the screen up to date until Ctrl-C.' },
      allNamespaces: { type: 'boolean', short: 'A', help: 'Show the configs of all namespaces.' },
      output: outputFlag,
    },
    examples: [
      { does: 'List all managed configs of the namespace', command: 'trimtab status' },
      { does: 'Follow the rollout of ConfigMap foo', command: 'trimtab status foo -w' },
      { does: 'Print the state of a Secret for a program', command: 'trimtab status secret/bar -o json' },
    ],
    validate: ({ given, flags }) =>
      given.has('watch') && flags.watch === true && given.has('output') && flags.output !== 'wide'
        ? ['--watch shows the state on a terminal and cannot be combined with --output, except for wide']
        : [],
  },
  async ({ positionals, flags, io, screen, warn, cluster }) => {
    const configs = positionals.configs.map(configArgument);
    const format = outputFormat(flags.output);
    const { client, namespace } = await cluster();
    const addresses = configs.map(({ kind, name }) => ({ kind, name, namespace }));
    const scope = flags.allNamespaces ? undefined : namespace;
    const view = { io, screen, warn };
    if (addresses.length === 0)
      return flags.watch ? followAll(view, client, scope, format) : showAll(view, client, scope, format);
    return flags.watch ? followSome(view, client, addresses) : showSome(view, client, addresses, format);
  },
);

type View = Pick<ProgressOptions, 'io' | 'screen' | 'warn'>;

async function showAll(
  { io, screen, warn }: View,
  client: KubeClient,
  namespace: string | undefined,
  format: OutputFormat,
): Promise<number> {
  const rollouts = sorted(await readRollouts(client, namespace));
  const needsPods = format.format !== 'table' && format.format !== 'name';
  const trees = needsPods
    ? await readTrees(client, namespace, rollouts, warn)
    : rollouts.map((rollout) => treeOf(rollout, nothingRead));
  if (format.format !== 'table') screen.write(renderObject(format, listOf(trees), trees.map(nameOf)) ?? '');
  else if (trees.length === 0) io.stderr.write(nothingFound(namespace));
  else screen.write(tableOf(trees, screen, namespace, format.wide));
  return exitCodes.done;
}

async function showSome(
  { io, screen, warn }: View,
  client: KubeClient,
  addresses: readonly ConfigAddress[],
  format: OutputFormat,
): Promise<number> {
  const found = await Promise.all(addresses.map((address) => readRollout(client, address)));
  const rollouts = found.filter((rollout) => rollout !== undefined);
  const trees = rollouts.length === 0 ? [] : await readTrees(client, addresses[0]?.namespace, rollouts, warn);
  const [only] = trees;
  const object = addresses.length === 1 && only !== undefined ? only : listOf(trees);
  const text = renderObject(format, object, trees.map(nameOf));
  if (text !== undefined) {
    if (trees.length > 0) screen.write(text);
  } else screen.write(trees.map((tree) => joined(renderTree(tree, screen, { now: Date.now() }))).join('\n'));
  let code: number = exitCodes.done;
  for (const [index, address] of addresses.entries())
    if (found[index] === undefined) code = reportFailure(await whyNoRollout(client, address), io);
  return code;
}

function followAll(
  view: View,
  client: KubeClient,
  namespace: string | undefined,
  format: OutputFormat,
): Promise<number> {
  const wide = format.format === 'table' && format.wide;
  return follow(
    view,
    new RolloutFollower({ client, namespace, withPods: false }),
    ({ trees }, { height }) => {
      if (trees.length === 0) return [nothingFound(namespace).trimEnd()];
      const lines = tableOf(trees, view.screen, namespace, wide).trimEnd().split('\n');
      return height === undefined || lines.length <= height
        ? lines
        : [...lines.slice(0, height - 1), `(${lines.length - height + 1} more configs)`];
    },
  );
}

async function followSome(
  view: View,
  client: KubeClient,
  addresses: readonly ConfigAddress[],
): Promise<number> {
  const [first] = addresses;
  for (const address of addresses)
    if ((await readRollout(client, address)) === undefined) throw await whyNoRollout(client, address);
  const isWanted = ({ config }: RolloutTree) =>
    addresses.some(({ kind, name }) => kind === config.kind && name === config.name);
  const follower =
    addresses.length === 1 && first !== undefined
      ? new RolloutFollower({ client, config: first, withPods: true })
      : new RolloutFollower({ client, namespace: first?.namespace, withPods: true });
  return follow(view, follower, ({ trees }, { now, height }) => {
    const shown = trees.filter(isWanted);
    const each = height === undefined ? undefined : Math.floor(height / Math.max(1, shown.length)) - 1;
    const lines = shown.map((tree) =>
      renderTree(tree, view.screen, { now, ...(each !== undefined && { height: each }) }),
    );
    return lines.flatMap((tree, index) => (index === 0 ? tree : ['', ...tree]));
  });
}

/** Follows until Ctrl-C, which is the ordinary end. */
async function follow(
  view: View,
  follower: RolloutFollower,
  paint: ProgressOptions['paint'],
): Promise<number> {
  const outcome = () => ({ state: 'in-progress', text: 'Ctrl-C' }) as const;
  await showProgress({ ...view, follower, paint, outcome, timeoutMs: 0 });
  return exitCodes.done;
}

async function readTrees(
  client: KubeClient,
  namespace: string | undefined,
  rollouts: readonly ConfigRollout[],
  warn: (text: string) => void,
): Promise<RolloutTree[]> {
  const source = await readTreeSource(client, namespace, rollouts);
  if (source.pods === undefined) warn('pods are not shown: this needs the verb "list" on "pods"');
  return rollouts.map((rollout) => treeOf(rollout, source));
}

const nothingRead = { workloads: undefined, pods: undefined, reports: undefined, versions: new Map() };

function tableOf(
  trees: readonly RolloutTree[],
  screen: Screen,
  namespace: string | undefined,
  wide: boolean,
): string {
  return renderStatusTable(trees, screen, { now: Date.now(), wide, withNamespace: namespace === undefined });
}

function nothingFound(namespace: string | undefined): string {
  const where = namespace === undefined ? 'the cluster' : `namespace ${namespace}`;
  return `No managed configs found in ${where}.\n`;
}

function listOf(trees: readonly RolloutTree[]): object {
  return {
    apiVersion: `${configRollouts.group}/${configRollouts.version}`,
    kind: 'RolloutTreeList',
    items: trees,
  };
}

function nameOf({ config }: RolloutTree): string {
  return typedName(config);
}

function sorted(rollouts: readonly ConfigRollout[]): ConfigRollout[] {
  const key = ({ metadata }: ConfigRollout) => `${metadata.namespace}/${metadata.name}`;
  return [...rollouts].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
