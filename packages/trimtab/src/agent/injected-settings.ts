import type { InjectedPod } from '../api/injected-pod.ts';
import type { WorkFlags } from './settings.ts';

/** The flags of an injected agent, as they were parsed. The injector sets them by environment variables. */
export interface InjectedFlags {
  pod?: string | undefined;
  gateway?: string | undefined;
  gatewayCa?: string | undefined;
}

/** The work of an injected agent, checked. */
export interface InjectedSettings {
  pod: InjectedPod;
  /** URL of the gateway. */
  gateway: string;
  /** PEM of the authorities of the gateway's certificate. */
  gatewayCa?: string;
}

/** Flags of an agent that is not injected. */
const otherFlags: Record<keyof WorkFlags, string> = {
  configroot: '--configroot',
  configmap: '--configmap',
  secret: '--secret',
  namespace: '--namespace',
  path: '--path',
  subfolders: '--subfolders',
  nestedKeys: '--nested-keys',
  reloadHttp: '--reload-http',
  reloadHttpMethod: '--reload-http-method',
  reloadHttpCa: '--reload-http-ca',
  reloadSignal: '--reload-signal',
  reloadProcess: '--reload-process',
  reloadContainer: '--reload-container',
  reloadExec: '--reload-exec',
  verifyHttp: '--verify-http',
  verifyExec: '--verify-exec',
  appHealth: '--app-health',
  fileMode: '--file-mode',
  once: '--once',
};

/** `given` holds the names of flags that are set. */
export function readInjectedSettings(
  flags: InjectedFlags,
  command: readonly string[],
  given: ReadonlySet<string>,
): { settings: InjectedSettings; problems: string[] } {
  const problems: string[] = [];
  const unused = Object.entries(otherFlags).flatMap(([key, flag]) => (given.has(key) ? [flag] : []));
  if (unused.length > 0)
    problems.push(
      `${unused.join(', ')} cannot be combined with --pod, which describes the work of the agent`,
    );
  if (command.length > 0) problems.push('a command after -- cannot be combined with --pod');
  const { gateway = '', gatewayCa } = flags;
  const protocol = URL.canParse(gateway) ? new URL(gateway).protocol : '';
  if (protocol !== 'https:' && protocol !== 'http:')
    problems.push(
      '--gateway must be the URL of the gateway, such as https://trimtab-gateway.trimtab-system.svc',
    );
  const pod = readPod(flags.pod ?? '', problems);
  return { settings: { pod, gateway, ...(gatewayCa !== undefined && { gatewayCa }) }, problems };
}

const emptyPod: InjectedPod = { configs: [], volumes: [], port: 0, reload: [], verify: [] };

/** An older injector may have left lists out, and a newer one may have added fields. */
function readPod(text: string, problems: string[]): InjectedPod {
  let value: Partial<InjectedPod>;
  try {
    value = JSON.parse(text);
  } catch {
    problems.push('--pod must be a JSON object, as the injector writes it');
    return emptyPod;
  }
  const { configs = [], volumes = [], port = 0, reload = [], verify = [] } = value ?? {};
  if (![configs, volumes, reload, verify].every(Array.isArray) || typeof port !== 'number') {
    problems.push('--pod must have the lists configs, volumes, reload and verify, and the number port');
    return emptyPod;
  }
  const missing = volumes.find(({ sources }) =>
    sources.some((source) => 'config' in source && configs[source.config] === undefined),
  );
  if (missing !== undefined) problems.push(`--pod: volume ${missing.name} names a config that is not listed`);
  return { ...value, configs, volumes, port, reload, verify };
}
