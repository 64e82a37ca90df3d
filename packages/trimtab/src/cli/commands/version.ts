import type { KubeClient } from '@trimtab/kube/client.ts';
import { type Lease, readRecord } from '@trimtab/kube/lease/record.ts';
import { endpointSlices, leases } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { gatewayServiceName, systemNamespace } from '../../api/names.ts';
import { clientVersion } from '../build/client-version.ts';
import { clientCommand } from '../client-command.ts';
import { isTrimtabServed } from '../cluster/require-trimtab.ts';
import { reportFailure } from '../failure.ts';
import { ageOf } from '../output/age.ts';
import { renderObject } from '../output/format.ts';

/** What is known about the cluster. A field that may not be read is undefined. */
interface ServerVersion {
  kubernetes: string;
  /** Whether the API server serves ConfigRollouts. */
  installed?: boolean;
  /** The holders of the Leases of controllers; empty when no controller holds one. */
  controllers?: { lease: string; holder: string; renewTime: string }[];
  /** Number of gateways that are ready. */
  gateways?: number;
}

export const { program, run } = clientCommand(
  {
    name: 'trimtab version',
    summary: 'Prints the version of this program, of Kubernetes, and the state of Trimtab in the cluster.',
    flags: {
      client: { type: 'boolean', help: 'Print the version of this program only. The cluster is not asked.' },
      output: { type: 'choice', short: 'o', choices: ['json', 'yaml'], help: 'Format of the output.' },
    },
    examples: [
      { does: 'Print the versions of this program and of the cluster', command: 'trimtab version' },
      { does: 'Print the version of this program without a cluster', command: 'trimtab version --client' },
      { does: 'Print the versions for a script', command: 'trimtab version -o json' },
    ],
  },
  async ({ flags, cluster, screen, io }) => {
    const client = clientVersion();
    let server: ServerVersion | undefined;
    let exitCode = 0;
    if (!flags.client)
      try {
        server = await readServerVersion((await cluster()).client);
      } catch (error) {
        // As with kubectl, the version of the client is printed when the server does not answer.
        exitCode = reportFailure(error, io);
      }
    const object = { clientVersion: client, ...(server && { serverVersion: server }) };
    const rendered = flags.output && renderObject({ format: flags.output }, object, []);
    screen.write(rendered ?? lines(client, server, Date.now()));
    return exitCode;
  },
);

async function readServerVersion(client: KubeClient): Promise<ServerVersion> {
  const [kubernetes, installed, controllers, gateways] = await Promise.all([
    client.raw<{ gitVersion: string }>({ method: 'GET', path: '/version' }),
    isTrimtabServed(client),
    ifAllowed(listControllers(client)),
    ifAllowed(countGateways(client)),
  ]);
  return {
    kubernetes: kubernetes.gitVersion,
    installed,
    ...(controllers && { controllers }),
    ...(gateways !== undefined && { gateways }),
  };
}

async function listControllers(client: KubeClient): Promise<ServerVersion['controllers']> {
  const { items } = await client.list<Lease>(leases, { namespace: systemNamespace });
  return items
    .filter(({ metadata }) => metadata.name?.startsWith('trimtab-controller'))
    .map((lease) => ({ lease, ...readRecord(lease) }))
    .filter(({ holder }) => holder !== '')
    .map(({ lease, holder, renewTime }) => ({ lease: lease.metadata.name ?? '', holder, renewTime }));
}

async function countGateways(client: KubeClient): Promise<number> {
  const labelSelector = `kubernetes.io/service-name=${gatewayServiceName}`;
  const { items } = await client.list<Slice>(endpointSlices, { namespace: systemNamespace, labelSelector });
  return items.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready)
    .length;
}

interface Slice extends KubeObject {
  endpoints?: { conditions?: { ready?: boolean } }[];
}

async function ifAllowed<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

function lines(
  { version, commit }: ReturnType<typeof clientVersion>,
  server: ServerVersion | undefined,
  now: number,
): string {
  const client = `Client Version: ${version}${commit === undefined ? '' : ` (commit ${commit.slice(0, 12)})`}`;
  if (server === undefined) return `${client}\n`;
  const { kubernetes, installed, controllers, gateways } = server;
  return [
    client,
    `Kubernetes Version: ${kubernetes}`,
    `Trimtab: ${installed ? 'installed' : 'not installed; run `trimtab manifests | kubectl apply -f -`'}`,
    ...(installed
      ? [`Controller: ${controllerText(controllers, now)}`, `Gateway: ${gatewayText(gateways)}`]
      : []),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function controllerText(controllers: ServerVersion['controllers'], now: number): string {
  if (controllers === undefined) return `unknown: you may not list Leases in namespace ${systemNamespace}`;
  if (controllers.length === 0) return `no Lease in namespace ${systemNamespace} has a holder`;
  return controllers
    .map(({ holder, renewTime }) => `${holder} (renewed ${ageOf(renewTime, now)} ago)`)
    .join(', ');
}

function gatewayText(gateways: number | undefined): string {
  if (gateways === undefined)
    return `unknown: you may not list EndpointSlices in namespace ${systemNamespace}`;
  return gateways === 0 ? 'none' : `${gateways} ready`;
}
