import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { noConfig } from '../../../versions/not-found.ts';
import { listConfigVersions, readLive, readRollout, versionsOf } from '../../../versions/read-config.ts';
import { unmanagedLines, type VersionLine, versionLines } from '../../../view/list-versions.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { errors, ref } from '../../openapi/schemas.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';
import { versionTable, wantsTable } from './version-table.ts';

export function listRoutes(kind: ConfigKind): Route[] {
  return [
    {
      method: 'GET',
      path: `/apis/trimtab.dev/v1alpha1/namespaces/{namespace}/${plurals[kind]}/{name}/versions`,
      document: {
        operationId: `list${kind}Versions`,
        summary: `Lists all versions of a ${kind} without their content; of an unmanaged ${kind}, also those that remain from the time when it was managed. As a Table when the client requests one, as kubectl does.`,
        rights: callerNeeds(kind).listVersions,
        answers: {
          200: { description: 'The versions.', schema: ref('VersionList') },
          ...errors(404),
        },
      },
      cost: 'expensive',
      handle: (request) => list(kind, request),
    },
  ];
}

async function list(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { incoming } = request;
  const items = await linesOf(kind, request);
  const whole = { kind: 'VersionList', apiVersion: 'trimtab.dev/v1alpha1', metadata: {}, items };
  return answerObject(request, 200, wantsTable(incoming.headers.accept) ? versionTable(items) : whole);
}

async function linesOf(
  kind: ConfigKind,
  { caller, parameters, signal, turn }: GatewayRequest,
): Promise<VersionLine[]> {
  const { client } = requirePerson(caller);
  const address = addressOf(kind, parameters);
  const rollout = await readRollout(client, address, signal);
  const versions = await listConfigVersions(client, address, signal);
  if (rollout !== undefined) {
    await turn();
    return versionLines(rollout, versionsOf(rollout, versions));
  }
  const live = await readLive(client, address, signal);
  if (live === undefined && versions.length === 0) throw noConfig(address);
  await turn();
  return unmanagedLines(live, versions);
}
