import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { text as readText } from 'node:stream/consumers';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { accessFlags } from '@trimtab/kube/identity/access-flags.ts';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { createLogger } from '@trimtab/kube/log/log.ts';
import { listAll } from '@trimtab/kube/paging.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { stringify } from 'yaml';
import type { ConfigBody } from '../api/config-body.ts';
import { type ConfigRollout, configRollouts } from '../api/config-rollout.ts';
import { gatewayServiceName, gatewayTrust, systemNamespace } from '../api/names.ts';
import { parseObjects } from '../cli/config-sources/parse-objects.ts';
import { servesEnvFiles } from '../controller/injection/env-files.ts';
import { injectObject, type ObjectOptions } from '../core/injection/inject-object.ts';
import type { Versions } from '../core/injection/managed-configs.ts';
import type { AnyObject } from '../core/injection/pod-template-of.ts';
import { liveVersions, rolloutVersions } from '../core/injection/rollout-versions.ts';

const flags = {
  filename: {
    type: 'string',
    short: 'f',
    required: true,
    placeholder: 'FILE',
    help: 'File with objects in YAML or JSON; - reads standard input.',
  },
  output: {
    type: 'choice',
    short: 'o',
    choices: ['yaml', 'json'],
    default: 'yaml',
    help: 'Format of the output.',
  },
  agentImage: { type: 'string', required: true, placeholder: 'IMAGE', help: 'Image of the agent.' },
  gatewayUrl: {
    type: 'string',
    placeholder: 'URL',
    default: `https://${gatewayServiceName}.${systemNamespace}.svc`,
    help: 'URL at which agents reach the gateway.',
  },
  gatewayCaFile: {
    type: 'string',
    placeholder: 'FILE',
    help: 'PEM file with the certificate authority of the gateway. Defaults to the ConfigMap that the gateway publishes; with --offline, to the public authorities.',
  },
  podIpFamily: {
    type: 'choice',
    choices: ['IPv4', 'IPv6'],
    default: 'IPv4',
    help: 'Family of the addresses of pods.',
  },
  namespace: {
    type: 'string',
    short: 'n',
    help: 'Namespace of objects without one. Defaults to the namespace of the kubeconfig context.',
  },
  offline: {
    type: 'boolean',
    help: 'Do not read versions from the cluster: pods start with the live configs, and environment variables do not come from files.',
  },
  kubeconfig: accessFlags.kubeconfig,
  context: accessFlags.context,
} as const;

export const program = {
  name: 'trimtab inject',
  summary:
    'Prints objects with the agent in their pods, where the annotation trimtab.dev/restart is "false", or the field spec.ConfigRestarts is false. The webhook of the controller does the same when pods are created.',
  flags,
  examples: [
    {
      does: 'Inject the agent into a Deployment',
      command:
        'trimtab inject -f web.yaml --agent-image registry.example.com/trimtab-agent:0.1.0 | kubectl apply -f -',
    },
    {
      does: 'Print what would be added',
      command:
        'kubectl get deployment web -o yaml | trimtab inject -f - --agent-image registry.example.com/trimtab-agent:0.1.0',
    },
  ],
} as const;

type InjectFlags = ParsedFlags<typeof flags>;

export async function run(argv: string[]): Promise<number> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const objects = parseObjects(await readInput(parsed.flags.filename));
  const options = await injectionOptions(parsed.flags, objects);
  const results = objects.map((object) => injectObject(object, options));
  const problems = results.flatMap((result) => ('problems' in result ? result.problems : []));
  if (problems.length > 0) throw invalid(problems.join('\n'));
  const done = results.filter((result) => 'object' in result);
  for (const warning of done.flatMap(({ warnings }) => warnings))
    process.stderr.write(`warning: ${warning}\n`);
  for (const container of done.flatMap(({ environment }) => environment))
    process.stderr.write(
      `warning: ${container}: the container takes a managed config from environment variables, which keep their values until it restarts\n`,
    );
  process.stdout.write(
    print(
      done.map(({ object }) => object),
      parsed.flags.output,
    ),
  );
  return 0;
}

async function injectionOptions(given: InjectFlags, objects: readonly AnyObject[]): Promise<ObjectOptions> {
  const { agentImage, gatewayUrl, gatewayCaFile, podIpFamily } = given;
  const cluster = given.offline ? offline : await readCluster(given, objects);
  const gatewayCa =
    gatewayCaFile === undefined ? cluster.gatewayCa : readGiven('--gateway-ca-file', gatewayCaFile);
  if (gatewayCa === undefined)
    process.stderr.write(
      'warning: agents trust the public certificate authorities only, because the authority of the gateway is not known: set --gateway-ca-file\n',
    );
  return {
    ...{ agentImage, gatewayUrl, podIpFamily, ...cluster },
    ...(gatewayCa !== undefined && { gatewayCa }),
    token: randomBytes(32).toString('base64url'),
  };
}

const offline: ClusterOptions = { envFiles: false, versionsIn: () => liveVersions };

type ClusterOptions = Pick<ObjectOptions, 'envFiles' | 'versionsIn' | 'gatewayCa'>;

async function readCluster(
  { kubeconfig, context, namespace }: InjectFlags,
  objects: readonly AnyObject[],
): Promise<ClusterOptions> {
  const access = await loadAccess({ ...(kubeconfig && { kubeconfig }), ...(context && { context }) });
  const log = createLogger({ program: 'trimtab-inject', level: 'error' });
  const client = httpClient({ access, log, userAgent: 'trimtab-inject' });
  const standard = namespace ?? access.namespace;
  try {
    const versions = new Map<string, Versions>();
    for (const each of new Set(objects.flatMap(namespacesOf))) {
      const rollouts: ConfigRollout[] = [];
      for await (const page of listAll<ConfigRollout>(client, configRollouts, {
        namespace: each ?? standard,
      }))
        if (page.type === 'page') rollouts.push(...page.items);
        else rollouts.length = 0;
      versions.set(each ?? standard, rolloutVersions(rollouts));
    }
    const envFiles = await servesEnvFiles(client, new AbortController().signal);
    const where = { namespace: systemNamespace, name: gatewayTrust.configMap };
    // Users may have no access to the namespace of Trimtab.
    const published = await getIfExists<ConfigBody>(client, configMaps, where).catch(() => undefined);
    const gatewayCa = published?.data?.[gatewayTrust.key];
    return {
      envFiles,
      versionsIn: (each) => versions.get(each ?? standard) ?? (() => undefined),
      ...(gatewayCa !== undefined && { gatewayCa }),
    };
  } catch (cause) {
    if (cause instanceof OperationalError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new OperationalError(
      errors.KubeconfigUnusable,
      `cannot read ConfigRollouts and their versions at ${access.server}: ${why}. Use --offline to inject without versions.`,
      { cause },
    );
  } finally {
    client.close();
  }
}

function namespacesOf({ metadata, items }: AnyObject): (string | undefined)[] {
  return Array.isArray(items) ? items.flatMap(namespacesOf) : [metadata?.namespace];
}

function readInput(filename: string): Promise<string> | string {
  return filename === '-' ? readText(process.stdin) : readGiven('--filename', filename);
}

function readGiven(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw invalid(`${flag} ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function print(objects: readonly AnyObject[], output: string): string {
  if (output === 'yaml')
    return objects
      .map(
        (object) =>
          `---\n${stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`,
      )
      .join('');
  const [first, ...more] = objects;
  const one = more.length === 0 ? first : { apiVersion: 'v1', kind: 'List', items: objects };
  return one === undefined ? '' : `${JSON.stringify(one, null, 2)}\n`;
}

function invalid(message: string): OperationalError {
  return new OperationalError(errors.ConfigInvalid, message);
}
