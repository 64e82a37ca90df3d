import type { Screen } from 'trimtab/cli/output/screen.ts';

export interface BannerParts {
  demo?: string;
  kubeconfig: string;
  gateway: string;
  api: string;
  /** File with curl's options for requests to the gateway as the administrator. */
  curlFile: string;
  hasKeys: boolean;
  hasKubectl: boolean;
  /** Where pods find their volumes and which addresses they have. */
  pods: readonly string[];
  /** Home folder of the user, which is written as `~`. */
  home: string;
}

/** The text that `npm start` prints when the cluster runs: what runs where, and what to do next. */
export function banner(parts: BannerParts, screen: Screen): string {
  const { demo, gateway, api, hasKeys, pods } = parts;
  const fact = (name: string, value: string) => `  ${screen.colour('faint', name.padEnd(9))}${value}`;
  const lines = [
    screen.colour('bold', 'Trimtab is up'),
    '',
    ...(demo === undefined ? [] : [fact('demo', demo)]),
    fact('gateway', gateway),
    fact('API', api),
    ...pods.map((each, index) => fact(index === 0 ? 'pods' : '', each)),
    ...(hasKeys ? [fact('keys', keysOf(demo !== undefined, screen))] : []),
    '',
    'Run in another shell, in this folder:',
    '',
    ...commands(parts).map((command) => `  ${screen.colour('name', command)}`),
    '',
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function keysOf(hasDemo: boolean, screen: Screen): string {
  const keys = hasDemo
    ? { g: 'good change', b: 'bad change', u: 'undo', t: 'live tree', q: 'quit' }
    : { q: 'quit' };
  return Object.entries(keys)
    .map(([key, does]) => `${screen.colour('bold', key)} ${does}`)
    .join('   ');
}

function commands({ demo, kubeconfig, gateway, curlFile, hasKubectl, home }: BannerParts): string[] {
  const setup = `export KUBECONFIG=${shellPath(kubeconfig, home)}`;
  const kubectl = hasKubectl ? ['kubectl get pods,configrollouts'] : [];
  if (demo === undefined) return [setup, 'npx trimtab status -w', ...kubectl];
  return [
    setup,
    'npx trimtab status demo -w',
    'npx trimtab versions demo',
    'npx trimtab history demo',
    'npx trimtab rollback demo',
    ...kubectl,
    `curl -K ${shellPath(curlFile, home)} ${gateway}/api/v1/namespaces/default/configmaps/demo/current`,
  ];
}

/** A path as a user types it in a shell. */
export function shellPath(path: string, home: string): string {
  if (!/^[\w@%+=:,./-]+$/.test(path)) return `'${path.replaceAll("'", `'\\''`)}'`;
  return home !== '' && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
