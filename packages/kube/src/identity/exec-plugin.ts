import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../clock.ts';
import { errors, OperationalError } from '../errors.ts';
import { bearer } from './bearer-token.ts';
import type { Credential, CredentialSource } from './credential-source.ts';
import { type Cluster, isRecord } from './kubeconfig-entries.ts';
import { runPlugin } from './run-plugin.ts';
import { unusable } from './unusable.ts';

/** The fields of a user's `exec` section that Trimtab uses. */
export interface ExecSpec {
  apiVersion: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  installHint: string;
  provideClusterInfo: boolean;
}

interface ExecPluginOptions {
  spec: ExecSpec;
  cluster: Cluster;
  clock?: Clock;
  timeoutMs?: number;
}

/** Long enough for a slow cloud provider, short enough to detect a plugin that waits for interactive input. */
const defaultTimeoutMs = 60_000;

export function execSpec(exec: Record<string, unknown>, user: string): ExecSpec {
  const { apiVersion, command, args, env, installHint, provideClusterInfo, interactiveMode } = exec;
  if (typeof command !== 'string' || command === '')
    throw unusable(`The exec section of user '${user}' has no command.`);
  if (typeof apiVersion !== 'string' || !/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(apiVersion))
    throw unusable(
      `The exec section of user '${user}' has the apiVersion '${apiVersion}': must be client.authentication.k8s.io/v1 or v1beta1.`,
    );
  if (interactiveMode === 'Always')
    throw unusable(
      `The exec plugin of user '${user}' requires a terminal (interactiveMode: Always), which Trimtab does not provide. Use a plugin with interactiveMode Never or IfAvailable.`,
    );
  return {
    apiVersion,
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(
      (Array.isArray(env) ? env : [])
        .filter(isRecord)
        .map(({ name, value }) => [String(name), String(value)]),
    ),
    installHint: typeof installHint === 'string' ? installHint.trim() : '',
    provideClusterInfo: provideClusterInfo === true,
  };
}

/**
 * Obtains a credential from an exec plugin. `@kubernetes/client-node` is not used for this, because it has no timeout,
 * passes no cluster info to the plugin, leaves standard input open and starts one process for each request.
 */
export function execPlugin(options: ExecPluginOptions): CredentialSource {
  const { clock = systemClock } = options;
  let running: Promise<TimedCredential> | undefined;
  let held: TimedCredential | undefined;
  return {
    async current() {
      if (held !== undefined && clock.now() < held.expiresAt) return held.credential;
      // Concurrent requests share one process.
      running ??= run(options).finally(() => {
        running = undefined;
      });
      held = await running;
      return held.credential;
    },
    invalidate() {
      held = undefined;
    },
  };
}

interface TimedCredential {
  credential: Credential;
  /** Wall time in milliseconds; infinite when the plugin returns no expirationTimestamp. */
  expiresAt: number;
}

async function run(options: ExecPluginOptions): Promise<TimedCredential> {
  const { spec, clock = systemClock, timeoutMs = defaultTimeoutMs } = options;
  const { command, args } = spec;
  const env = { ...spec.env, KUBERNETES_EXEC_INFO: await execInfo(options) };
  const result = await runPlugin({ command, args, env }, timeoutMs, clock);
  if (result.outcome === 'not started') {
    const hint = spec.installHint === '' ? '' : ` ${spec.installHint}`;
    throw unavailable(`The credential plugin '${command}' cannot be started (${result.code}).${hint}`);
  }
  if (result.outcome === 'failed')
    throw unavailable(`The credential plugin '${command}' ${result.how}${said(result.stderr)}`);
  const credential = credentialOf(result.stdout, spec.apiVersion);
  if (credential === undefined)
    throw unavailable(
      `The credential plugin '${command}' did not print an ExecCredential of ${spec.apiVersion} with a token or a client certificate${said(result.stderr)}`,
    );
  return credential;
}

/** The caller must not print `stdout`, even when it is invalid: it may contain a credential with a syntax error. */
function credentialOf(stdout: string, apiVersion: string): TimedCredential | undefined {
  const printed = parsed(stdout);
  if (!isRecord(printed) || printed['kind'] !== 'ExecCredential' || printed['apiVersion'] !== apiVersion)
    return undefined;
  const status = isRecord(printed['status']) ? printed['status'] : {};
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  const hasToken = typeof token === 'string' && token !== '';
  const certificate = typeof cert === 'string' && typeof key === 'string' ? { cert, key } : undefined;
  if (!hasToken && certificate === undefined) return undefined;
  const ends = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    credential: {
      headers: hasToken ? bearer(token) : {},
      ...(certificate === undefined ? {} : { certificate }),
    },
    expiresAt: Number.isNaN(ends) ? Number.POSITIVE_INFINITY : ends,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value of KUBERNETES_EXEC_INFO. */
async function execInfo({ spec, cluster }: ExecPluginOptions): Promise<string> {
  const { apiVersion } = spec;
  const about = spec.provideClusterInfo ? { cluster: await clusterInfo(cluster) } : {};
  return JSON.stringify({ apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...about } });
}

async function clusterInfo(cluster: Cluster): Promise<object> {
  const ca = cluster.caFile ? await readFile(cluster.caFile, 'base64') : cluster.caData;
  return {
    server: cluster.server,
    'tls-server-name': cluster.tlsServerName,
    'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
    'certificate-authority-data': ca,
  };
}

function said(stderr: string): string {
  const text = stderr.trim();
  return text === '' ? ' and printed nothing to standard error.' : `: ${text}`;
}

function unavailable(message: string): OperationalError {
  return new OperationalError(errors.CredentialsUnavailable, message);
}
