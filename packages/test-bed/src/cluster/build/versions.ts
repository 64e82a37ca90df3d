/** The versions in the bed's go.mod, which is the only place that defines them. */
export interface Versions {
  kubernetes: string;
  etcd: string;
  kwok: string;
  /** Packages of programs to build. */
  tools: string[];
}

const modules = {
  kubernetes: 'k8s.io/kubernetes',
  etcd: 'go.etcd.io/etcd/server/v3',
  kwok: 'sigs.k8s.io/kwok',
};

export function parseVersions(goMod: string): Versions {
  const lines = goMod.split('\n').map((line) => line.replace(/\/\/.*/, '').trim());
  const version = (module: string) => {
    const found = lines.find((line) => line.replace(/^require /, '').startsWith(`${module} v`));
    if (!found) throw new Error(`go.mod has no require line for ${module}`);
    return found.slice(found.lastIndexOf(' ') + 1);
  };
  const toolsBegin = lines.indexOf('tool (');
  const tools = lines.slice(toolsBegin + 1, lines.indexOf(')', toolsBegin));
  if (toolsBegin < 0 || tools.length === 0) throw new Error('go.mod has no tool block with tools to build');
  return {
    kubernetes: version(modules.kubernetes),
    etcd: version(modules.etcd),
    kwok: version(modules.kwok),
    tools,
  };
}

/** Without these flags, Kubernetes reports version v0.0.0-master and KWOK reports no version. */
export function linkerFlags(versions: Versions): string {
  const [major = '', minor = ''] = versions.kubernetes.slice(1).split('.');
  const stamps = [
    `k8s.io/component-base/version.gitVersion=${versions.kubernetes}`,
    `k8s.io/component-base/version.gitMajor=${major}`,
    `k8s.io/component-base/version.gitMinor=${minor}`,
    `sigs.k8s.io/kwok/pkg/consts.Version=${versions.kwok}`,
  ];
  return ['-s', '-w', ...stamps.map((stamp) => `-X ${stamp}`)].join(' ');
}

/** The file name that Go generates for a package, and the name in the bed. */
export function binaryNames(tool: string): { built: string; wanted: string } {
  const built =
    tool
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) ?? tool;
  return { built, wanted: tool.startsWith('go.etcd.io/etcd/server') ? 'etcd' : built };
}
