import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { badRequest } from '../../../versions/refusal.ts';
import { deleteAllVersions, deleteVersion } from '../../../versions/writes/delete-versions.ts';
import { purgeAllVersions, purgeVersion } from '../../../versions/writes/purge-versions.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { fieldManager } from '../../identity/field-manager.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { errors, ref } from '../../openapi/schemas.ts';
import { isPurge, readDeleteRequest } from '../../request/delete-options.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';

export function deleteRoutes(kind: ConfigKind): Route[] {
  const config = `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}`;
  const query = {
    dryRun: { description: '`All`: check everything and delete nothing.', schema: { enum: ['All'] } },
    purge: {
      description:
        '`true`: also delete versions that only old ReplicaSets and ControllerRevisions use, as when a value leaked. `kubectl rollout undo` to one of them then starts no pods.',
      schema: { type: 'boolean' },
    },
  };
  const body = {
    description: 'Kubernetes `DeleteOptions`; optional.',
    schema: { type: 'object' },
    optional: true,
  };
  const refusals = errors(404, 422);
  return [
    {
      method: 'DELETE',
      path: `${config}/{version}`,
      document: {
        operationId: `delete${kind}Version`,
        summary: 'Deletes a version. Its name cannot be used again.',
        rights: callerNeeds(kind).deleteVersion,
        query,
        body,
        answers: {
          200: { description: 'The version was deleted.', schema: ref('Status') },
          ...refusals,
          ...errors(409),
        },
      },
      cost: 'expensive-purge',
      handle: (request) => deleteOne(kind, request),
    },
    {
      method: 'DELETE',
      path: `${config}/`,
      document: {
        operationId: `delete${kind}Versions`,
        summary: `Deletes all versions of a ${kind} except those that are current, being rolled out or in use. Without the trailing slash, the request is the Kubernetes API's own delete of the ${kind}.`,
        rights: callerNeeds(kind).deleteVersion,
        query,
        body,
        answers: {
          200: {
            description: 'The deleted versions, and the kept versions with reasons.',
            schema: ref('VersionDeletion'),
          },
          ...refusals,
        },
      },
      cost: 'expensive',
      handle: (request) => deleteAll(kind, request),
    },
  ];
}

async function deleteOne(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { client, username } = requirePerson(request.caller);
  const address = addressOf(kind, request.parameters);
  const purges = isPurge(request.query);
  const deletion = await readDeleteRequest(request);
  const name = request.parameters['version'] ?? '';
  const writer = { client, fieldManager, username, turn: request.turn, until: request.signal };
  const { version, isManaged, warnings } = purges
    ? await purgeVersion(writer, address, name, deletion)
    : { version: await deleteVersion(writer, address, name, deletion), isManaged: true, warnings: [] };
  const message = `version ${JSON.stringify(version.name)} of ${plurals[kind]} ${JSON.stringify(address.name)} was purged${deletion.dryRun ? ' (dry run)' : ''}${isManaged ? ', and its name cannot be used again' : ''}. If a value leaked, replace it where it is accepted: a purge does not reach backups of etcd, the memory of pods or copies in other programs`;
  return answerObject(
    request,
    200,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      ...(purges && { message: [message, ...warnings].join('. ') }),
      details: { name: address.name, kind: plurals[kind], uid: version.uid },
      code: 200,
    },
    { warnings },
  );
}

async function deleteAll(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { client, username } = requirePerson(request.caller);
  const address = addressOf(kind, request.parameters);
  const purges = isPurge(request.query);
  const deletion = await readDeleteRequest(request);
  if (Object.keys(deletion.preconditions).length > 0)
    throw badRequest(
      'preconditions of the DeleteOptions apply to one object, and this request deletes several versions; delete one version by its name, or leave the preconditions out',
    );
  const writer = { client, fieldManager, username, turn: request.turn, until: request.signal };
  const { warnings, ...result } = purges
    ? await purgeAllVersions(writer, address, deletion)
    : { warnings: [], ...(await deleteAllVersions(writer, address, deletion)) };
  const list = { kind: 'VersionDeletion', apiVersion: 'trimtab.dev/v1alpha1', ...result };
  return answerObject(request, 200, list, { warnings });
}
