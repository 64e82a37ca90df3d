import { splitWords } from '@trimtab/kube/flags/words.ts';
import type { PathRules } from './files/file-set.ts';
import { pathProblem } from './files/relative-path.ts';
import type { ProcessSelector } from './reload/select-processes.ts';
import { signalName } from './reload/signal-effect.ts';
import type { ConfigRef } from './source/config.ts';

/** The flags that describe the work of the agent, as they were parsed. */
export interface WorkFlags {
  configroot?: string | undefined;
  configmap?: readonly string[] | undefined;
  secret?: readonly string[] | undefined;
  namespace?: string | undefined;
  path?: readonly string[] | undefined;
  subfolders?: boolean | undefined;
  nestedKeys?: boolean | undefined;
  reloadHttp?: string | undefined;
  reloadHttpMethod?: string | undefined;
  reloadHttpCa?: string | undefined;
  reloadSignal?: string | undefined;
  reloadProcess?: string | undefined;
  reloadContainer?: string | undefined;
  reloadExec?: string | undefined;
  verifyHttp?: string | undefined;
  verifyExec?: string | undefined;
  appHealth?: string | undefined;
  fileMode?: string | undefined;
  once?: boolean | undefined;
}

/** How the application is told that its files have changed. */
export type Tell =
  | { by: 'http'; url: URL; method: string; caFile?: string }
  | { by: 'exec'; words: readonly string[] }
  | { by: 'signal'; signal: NodeJS.Signals; to: ProcessSelector | 'application' };

/** The work of the agent, checked and with defaults. */
export interface Settings {
  configRoot: string;
  refs: readonly ConfigRef[];
  rules: PathRules;
  fileMode: number;
  tell: readonly Tell[];
  verifyExec?: readonly string[];
  verifyHttp?: URL;
  appHealth?: URL;
  /** Parent mode: the command of the application. */
  command?: readonly string[];
  once: boolean;
}

/** In parent mode the document asks for 0666; elsewhere it is the mode of files in a volume of the kubelet. */
const parentFileMode = 0o666;
const usualFileMode = 0o644;

/**
 * `given` holds the names of flags that are set, also those whose value is not valid and was reported already. `order`
 * holds the names of the flags on the command line in their order: of two configs with the same key, the later one wins.
 */
export function readSettings(
  flags: WorkFlags,
  command: readonly string[],
  given: ReadonlySet<string>,
  order: readonly string[] = [],
): { settings: Settings; problems: string[] } {
  const problems: string[] = [];
  const isParent = command.length > 0;
  const once = flags.once ?? false;
  if (flags.namespace !== undefined && !isObjectName(flags.namespace))
    problems.push(
      `--namespace must be a lowercase RFC 1123 label, such as production, not '${flags.namespace}'. It applies to each --configmap and --secret without a namespace`,
    );
  const refs = inOrder(
    {
      configmap: readRefs('ConfigMap', flags.configmap, flags, problems),
      secret: readRefs('Secret', flags.secret, flags, problems),
    },
    order,
  );
  if (!given.has('configroot'))
    problems.push('--configroot is required: the folder that files are written to');
  if (!given.has('configmap') && !given.has('secret'))
    problems.push('--configmap or --secret is required: the configs to write to files');
  const tell = readTell(flags, isParent, problems);
  problems.push(...modeProblems(flags, isParent, given));
  const verifyExec = readCommand('--verify-exec', flags.verifyExec, problems);
  const verifyHttp = readUrl('--verify-http', flags.verifyHttp, problems);
  const appHealth = readUrl('--app-health', flags.appHealth, problems);
  const settings: Settings = {
    configRoot: flags.configroot ?? '',
    refs,
    rules: {
      paths: readPaths(flags.path ?? [], problems),
      subfolders: flags.subfolders ?? false,
      nestedKeys: flags.nestedKeys ?? false,
    },
    fileMode: readFileMode(flags.fileMode, problems) ?? (isParent ? parentFileMode : usualFileMode),
    tell: once ? [] : tell,
    once,
    ...(verifyExec && { verifyExec }),
    ...(verifyHttp && { verifyHttp }),
    ...(appHealth && { appHealth }),
    ...(isParent && { command }),
  };
  return { settings, problems };
}

/** Flags that exclude each other, or need another one. */
function modeProblems(flags: WorkFlags, isParent: boolean, given: ReadonlySet<string>): string[] {
  const problems: string[] = [];
  const ways = ['reloadHttp', 'reloadExec', 'reloadProcess', 'reloadContainer', 'reloadSignal'];
  const selects = given.has('reloadProcess') || given.has('reloadContainer');
  if (given.has('reloadProcess') && given.has('reloadContainer'))
    problems.push('--reload-process and --reload-container exclude each other');
  if (isParent && selects)
    problems.push(
      '--reload-process and --reload-container select a process of another container; with a command after --, signals go to that command',
    );
  if (isParent && flags.once) problems.push('--once runs no application: remove it, or the command after --');
  if (!isParent && given.has('reloadSignal') && !selects)
    problems.push(
      '--reload-signal requires a process: set --reload-process or --reload-container, or append the command of the application after --',
    );
  else if (!isParent && !flags.once && !ways.some((way) => given.has(way)))
    problems.push(
      'the application would not be told about changes: set --reload-http, --reload-process, --reload-container or --reload-exec, append the command of the application after --, or set --once',
    );
  for (const [name, needs] of [
    ['reloadHttpMethod', 'reloadHttp'],
    ['reloadHttpCa', 'reloadHttp'],
  ] as const)
    if (given.has(name) && !given.has(needs)) problems.push(`${flagOf(name)} requires ${flagOf(needs)}`);
  return problems;
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function readRefs(
  kind: ConfigRef['kind'],
  texts: readonly string[] = [],
  { namespace: standard = 'default' }: WorkFlags,
  problems: string[],
): ConfigRef[] {
  const flag = `--${kind.toLowerCase()}`;
  return texts.flatMap((text) => {
    const parts = text.split('/');
    const [namespace = standard, name = ''] = parts.length === 2 ? parts : [standard, parts[0]];
    const isNamespaceValid = parts.length === 1 || isObjectName(namespace);
    if (parts.length > 2 || !isObjectName(name) || !isNamespaceValid) {
      problems.push(
        `${flag} must be [NAMESPACE/]NAME with lowercase RFC 1123 subdomains, such as production/prometheus, not '${text}'`,
      );
      return [];
    }
    return [{ kind, namespace, name }];
  });
}

/**
 * Configs from environment variables come first: ConfigMaps, then Secrets. A config that is given twice is watched once, at
 * its last place.
 */
function inOrder(
  refs: { configmap: ConfigRef[]; secret: ConfigRef[] },
  order: readonly string[],
): readonly ConfigRef[] {
  const onLine = order.flatMap((name) =>
    name === 'configmap' || name === 'secret' ? (refs[name].shift() ?? []) : [],
  );
  const all = [...refs.configmap, ...refs.secret, ...onLine];
  return all.filter(
    ({ kind, namespace, name }, index) =>
      !all
        .slice(index + 1)
        .some((later) => later.kind === kind && later.namespace === namespace && later.name === name),
  );
}

function isObjectName(text: string): boolean {
  const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
  return text.length <= 253 && new RegExp(`^${label}(\\.${label})*$`).test(text);
}

function readPaths(texts: readonly string[], problems: string[]): Map<string, string> {
  const paths = new Map<string, string>();
  for (const text of texts) {
    const [, key, path] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (key === undefined || path === undefined) {
      problems.push(`--path must be KEY=PATH, such as site=conf.d/site.conf, not '${text}'`);
      continue;
    }
    const problem = pathProblem(path);
    if (problem !== undefined) problems.push(`--path ${key}: the path '${path}' ${problem}`);
    else paths.set(key, path);
  }
  return paths;
}

function readTell(flags: WorkFlags, isParent: boolean, problems: string[]): Tell[] {
  const tell: Tell[] = [];
  const url = readUrl('--reload-http', flags.reloadHttp, problems);
  const method = flags.reloadHttpMethod ?? 'POST';
  if (!/^[A-Za-z]+$/.test(method))
    problems.push(`--reload-http-method must be an HTTP method, not '${method}'`);
  else if (url !== undefined)
    tell.push({
      by: 'http',
      url,
      method: method.toUpperCase(),
      ...(flags.reloadHttpCa !== undefined && { caFile: flags.reloadHttpCa }),
    });
  const words = readCommand('--reload-exec', flags.reloadExec, problems);
  if (words !== undefined) tell.push({ by: 'exec', words });
  const to = selectorOf(flags) ?? (isParent ? 'application' : undefined);
  const isSignalled =
    flags.reloadSignal !== undefined || tell.length === 0 || selectorOf(flags) !== undefined;
  if (to !== undefined && isSignalled) {
    const signal = signalName(flags.reloadSignal ?? 'SIGHUP');
    if (signal === undefined || ['SIGKILL', 'SIGSTOP'].includes(signal))
      problems.push(
        `--reload-signal must be a signal that a program can handle, such as SIGHUP or SIGUSR1, not '${flags.reloadSignal}'`,
      );
    else tell.push({ by: 'signal', signal, to });
  }
  return tell;
}

function selectorOf({ reloadProcess, reloadContainer }: WorkFlags): ProcessSelector | undefined {
  if (reloadProcess !== undefined) return { process: reloadProcess };
  return reloadContainer === undefined ? undefined : { container: reloadContainer };
}

function readUrl(flag: string, text: string | undefined, problems: string[]): URL | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  problems.push(`${flag} must be an http or https URL, such as http://localhost:9090/-/reload`);
  return undefined;
}

function readCommand(flag: string, text: string | undefined, problems: string[]): string[] | undefined {
  if (text === undefined) return undefined;
  const words = splitWords(text);
  if (words?.[0]) return words;
  problems.push(`${flag} ${words === undefined ? 'has an unclosed quote' : 'must name a program'}`);
  return undefined;
}

function readFileMode(text: string | undefined, problems: string[]): number | undefined {
  if (text === undefined) return undefined;
  if (/^0?[0-7]{3}$/.test(text)) return Number.parseInt(text, 8);
  problems.push(`--file-mode must be an octal mode such as 0640, not '${text}'`);
  return undefined;
}
