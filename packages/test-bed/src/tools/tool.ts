import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildSet, isBuilt } from '../cluster/build/binaries.ts';
import { ensureBinaries } from '../cluster/build/build.ts';
import { cacheFolder } from '../cluster/state/cache-folder.ts';
import type { Progress } from '../cluster/terminal/progress.ts';

/** A program of the field that tests run. Its folder beside this file has the go.mod with its version. */
interface Tool {
  /** The Go package to build; '.' for a program in the folder itself. */
  package: string;
  /** Go linker variables that hold the version which the program reports. */
  versionVariables?: string[];
  /** The module whose version that is. */
  versionOf?: string;
  /** Modules (`PATH@VERSION`) whose CustomResourceDefinitions the program needs. */
  crdsOf?: string[];
}

const tools = {
  'gitops-engine': { package: '.', versionOf: 'github.com/argoproj/argo-cd/gitops-engine' },
  'helm-3': {
    package: 'helm.sh/helm/v3/cmd/helm',
    versionOf: 'helm.sh/helm/v3',
    versionVariables: ['helm.sh/helm/v3/internal/version.version'],
  },
  'helm-4': {
    package: 'helm.sh/helm/v4/cmd/helm',
    versionOf: 'helm.sh/helm/v4',
    versionVariables: ['helm.sh/helm/v4/internal/version.version'],
  },
  'kustomize-controller': {
    package: 'github.com/fluxcd/kustomize-controller',
    versionOf: 'github.com/fluxcd/kustomize-controller',
    crdsOf: ['github.com/fluxcd/kustomize-controller@v1.9.5', 'github.com/fluxcd/source-controller@v1.9.5'],
  },
  kstatus: { package: '.', versionOf: 'github.com/fluxcd/cli-utils' },
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;

export const toolNames = Object.keys(tools) as ToolName[];

/** Builds all tools that are not cached. */
export async function ensureTools(progress: Progress): Promise<void> {
  for (const name of toolNames) await ensureBinaries(toolSet(name), progress);
}

/** The path of a tool. Throws when it has not been built. */
export function toolPath(name: ToolName): string {
  return join(toolFolder(name), name);
}

/** The folder with the CustomResourceDefinitions of a tool. Throws when it has not been built. */
export function toolCrds(name: ToolName): string {
  return join(toolFolder(name), crds);
}

const crds = 'crds';

function toolFolder(name: ToolName): string {
  const set = toolSet(name);
  if (!isBuilt(set))
    throw new Error(`${name} is not built: run \`npm run cluster -- tools\`, which builds it with Go`);
  return set.folder;
}

function toolSet(name: ToolName): BuildSet {
  const module = join(import.meta.dirname, name);
  const tool: Tool = tools[name];
  const version = tool.versionOf === undefined ? '' : versionIn(module, tool.versionOf);
  const stamps = (tool.versionVariables ?? []).map((variable) => `-X ${variable}=${version}`);
  const command = [
    'build',
    '-v',
    '-trimpath',
    '-buildvcs=false',
    '-mod=readonly',
    '-ldflags',
    ['-s', '-w', ...stamps].join(' '),
  ];
  const built = tool.package === '.' ? name : (tool.package.split('/').at(-1) ?? '');
  return {
    title: `${name}${version === '' ? '' : ` ${version}`}, once per version: a few minutes on 2 cores`,
    command,
    packages: [tool.package],
    programs: [{ built, wanted: name }],
    copies: (tool.crdsOf ?? []).map((each) => ({ module: each, from: 'config/crd/bases', to: crds })),
    folder: join(cacheFolder(), `${name}-${keyOf(module, [command, tool.package, ...(tool.crdsOf ?? [])])}`),
    module,
  };
}

function versionIn(module: string, dependency: string): string {
  const goMod = readFileSync(join(module, 'go.mod'), 'utf8');
  const line = goMod
    .split('\n')
    .find((each) => each.replace(/^(require )?\s*/, '').startsWith(`${dependency} v`));
  const version = /\sv(\S+)/.exec(line ?? '')?.[1];
  if (version === undefined) throw new Error(`${module}/go.mod has no require line for ${dependency}`);
  return `v${version}`;
}

/** A hash of all sources of the tool: any change results in another folder. */
function keyOf(module: string, parts: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, ...parts]));
  for (const file of readdirSync(module).sort()) hash.update(file).update(readFileSync(join(module, file)));
  return hash.digest('hex').slice(0, 12);
}
