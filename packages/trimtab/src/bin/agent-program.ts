import type { ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import type { Program, ValidationInput } from '@trimtab/kube/flags/program.ts';
import { accessFlags } from '@trimtab/kube/identity/access-flags.ts';
import { readInjectedSettings } from '../agent/injected-settings.ts';
import { readSettings } from '../agent/settings.ts';
import { injected } from '../api/injected-pod.ts';
import { serviceFlags } from './service-flags.ts';

const accepted = { help: 'A flag of klog, which has no effect.', hidden: true } as const;

const flags = {
  configroot: {
    type: 'string',
    placeholder: 'DIR',
    help: 'Folder that the files are written to. Keys become file names. It is usually a volume that the application mounts as well.',
  },
  configmap: {
    type: 'list',
    placeholder: '[NS/]NAME',
    help: 'ConfigMap to write to files; may be repeated. Of two configs with the same key, the later flag wins.',
  },
  secret: {
    type: 'list',
    placeholder: '[NS/]NAME',
    help: 'Secret to write to files; may be repeated.',
  },
  namespace: {
    type: 'string',
    short: 'n',
    default: 'default',
    help: 'Namespace of configs that are given without one.',
  },
  path: {
    type: 'list',
    placeholder: 'KEY=PATH',
    help: 'Write a key to this path below --configroot; may be repeated. Folders are created.',
  },
  subfolders: { type: 'boolean', help: 'Write each config to a folder with its name.' },
  nestedKeys: {
    type: 'boolean',
    help: 'Two underscores in a key separate folders: conf.d__site.conf is written to conf.d/site.conf.',
  },
  fileMode: {
    type: 'string',
    placeholder: 'MODE',
    help: 'Mode of the files. Defaults to 0666 with a command after --, otherwise to 0644.',
  },
  reloadHttp: {
    type: 'string',
    placeholder: 'URL',
    help: 'Reload the application by a request to this URL. A 2xx response is a success.',
  },
  reloadHttpMethod: {
    type: 'string',
    placeholder: 'METHOD',
    help: 'Method of that request. Defaults to POST.',
  },
  reloadHttpCa: {
    type: 'string',
    placeholder: 'FILE',
    help: 'Certificate authorities of an https URL. Defaults to the public ones.',
  },
  reloadSignal: {
    type: 'string',
    placeholder: 'SIGNAL',
    help: 'Reload the application by this signal. Defaults to SIGHUP.',
  },
  reloadProcess: {
    type: 'string',
    placeholder: 'NAME',
    help: 'Send the signal to the process of this name that mounts the same volume. The pod needs shareProcessNamespace: true.',
  },
  reloadContainer: {
    type: 'string',
    placeholder: 'NAME',
    help: 'Send the signal to the first process of this container. The pod needs shareProcessNamespace: true.',
  },
  reloadExec: {
    type: 'string',
    placeholder: 'COMMAND',
    help: "Reload the application by this command, such as 'pg_ctl reload'. It runs without a shell; quotes are understood.",
  },
  reloadTimeout: {
    type: 'duration',
    default: '10s',
    min: '1ms',
    help: 'Time for a reload or a check.',
  },
  retries: {
    type: 'integer',
    default: 3,
    min: 0,
    max: 100,
    help: 'Attempts after the first one when the application does not answer.',
  },
  verifyExec: {
    type: 'string',
    placeholder: 'COMMAND',
    help: "Check the files by this command, such as 'nginx -t', before the application is told and after. When it fails, the last good files are put back.",
  },
  verifyHttp: {
    type: 'string',
    placeholder: 'URL',
    help: 'Check the application by a GET of this URL, before it is told and after. When it fails, the last good files are put back.',
  },
  appHealth: {
    type: 'string',
    placeholder: 'URL',
    help: 'Health endpoint of the application. /healthz of the agent fails when this URL does not respond with 2xx.',
  },
  pod: {
    type: 'string',
    env: injected.env.pod,
    placeholder: 'JSON',
    help: 'Work of the agent in an injected pod, which gets its configs from the gateway. The injector sets the variable.',
  },
  gateway: {
    type: 'string',
    env: injected.env.gateway,
    placeholder: 'URL',
    help: 'URL of the gateway. The injector sets the variable.',
  },
  gatewayCa: {
    type: 'string',
    env: injected.env.gatewayCa,
    placeholder: 'PEM',
    help: 'Certificate authorities of the gateway. The injector sets the variable.',
  },
  once: { type: 'boolean', help: 'Write the files once and exit, for an init container.' },
  installTo: {
    type: 'string',
    placeholder: 'DIR',
    help: 'Copy this program to the folder and exit, for an init container: an image of an application then needs no program of the agent.',
  },
  printRole: { type: 'boolean', help: 'Print the Role that the agent needs for its configs and exit.' },
  startTimeout: {
    type: 'duration',
    default: '3s',
    help: 'Start with the files on disk when the configs cannot be read within this time.',
  },
  maxWatchFailure: {
    type: 'duration',
    default: '10m',
    help: '/healthz fails when the API server was not reached for this time; 0s disables the check.',
  },
  shutdownGrace: {
    type: 'duration',
    default: '0s',
    help: 'Kill the application when it has not ended this long after a termination signal; 0s waits for it.',
  },
  healthHost: {
    type: 'string',
    placeholder: 'ADDRESS',
    help: 'Address for /healthz, /readyz and /metrics. Defaults to POD_IP if it is set, otherwise to all addresses.',
  },
  healthPort: { ...serviceFlags.healthPort, default: 8082 },
  logLevel: serviceFlags.logLevel,
  v: {
    type: 'integer',
    short: 'v',
    default: 0,
    min: 0,
    help: 'Verbosity as in Kubernetes: from 4 on, debug messages are logged.',
  },
  ...accessFlags,
  requestTimeout: {
    type: 'string',
    hidden: true,
    help: 'A flag of kubectl, which has no effect.',
  },
  logtostderr: { type: 'boolean', ...accepted },
  alsologtostderr: { type: 'boolean', ...accepted },
  stderrthreshold: { type: 'string', ...accepted },
  vmodule: { type: 'string', ...accepted },
  log_dir: { type: 'string', ...accepted },
  log_file: { type: 'string', ...accepted },
  log_file_max_size: { type: 'string', ...accepted },
  log_backtrace_at: { type: 'string', ...accepted },
  add_dir_header: { type: 'boolean', ...accepted },
  one_output: { type: 'boolean', ...accepted },
  skip_headers: { type: 'boolean', ...accepted },
  skip_log_headers: { type: 'boolean', ...accepted },
} as const;

export type AgentFlags = ParsedFlags<typeof flags>;

export const agentProgram = {
  name: 'trimtab-agent',
  envPrefix: 'TRIMTAB_AGENT',
  summary:
    'Keeps a folder equal to ConfigMaps and Secrets, and tells an application to reload when they change: as a sidecar, or as the parent process of the application.',
  flags,
  rest: { name: 'COMMAND', help: 'Run this command as the application. Without it, the agent is a sidecar.' },
  examples: [
    {
      does: 'Sidecar: reload Prometheus over HTTP',
      command:
        'trimtab-agent --configroot=/mnt/config --configmap=production/prometheus --reload-http=http://localhost:9090/-/reload',
    },
    {
      does: 'Sidecar: check the files of nginx, then send SIGHUP to it',
      command:
        "trimtab-agent --configroot=/etc/nginx --configmap=nginx --verify-exec='nginx -t' --reload-process=nginx",
    },
    {
      does: 'Parent process: run PostgreSQL and send SIGHUP to it',
      command:
        'trimtab-agent --configroot=/config --configmap=production/postgresql -- postgres -c config_file=/config/postgresql.conf',
    },
    {
      does: 'Print the rights that the agent needs',
      command: 'trimtab-agent --configmap=production/prometheus --print-role | kubectl apply -f -',
    },
  ],
  validate({ flags: values, given, rest }: ValidationInput<typeof flags>): string[] {
    if (given.has('installTo')) return [];
    if (given.has('pod')) return readInjectedSettings(values, rest, given).problems;
    const { problems } = readSettings(values, rest, given);
    return given.has('printRole')
      ? problems.filter((problem) => /--(configmap|secret)\b/.test(problem))
      : problems;
  },
} as const satisfies Program<typeof flags>;
