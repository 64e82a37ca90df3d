import type { ConfigKind } from '../../../core/references/references.ts';
import { deleteAllVersions, deleteVersion } from '../../../versions/writes/delete-versions.ts';
import { writeObject } from '../../answer/write-answer.ts';
import { fieldManager } from '../../identity/field-manager.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { errors, ref } from '../../openapi/schemas.ts';
import { readDeleteRequest } from '../../request/delete-options.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';

export function deleteRoutes(kind: ConfigKind): Route[] {
  const config = `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}`;
  const query = {
    dryRun: { description: '`All`: check everything and delete nothing.', schema: { enum: ['All'] } },
  };
  const body = {
    description: 'Kubernetes `DeleteOptions`; optional.',
    schema: { type: 'object' },
    optional: true,
  };
  const refusals = errors(400, 401, 403, 404, 415, 422, 503, 504);
  return [
    {
      method: 'DELETE',
      path: `${config}/{version}`,
      document: {
        operationId: `delete${kind}Version`,
        summary: 'Deletes a version. Its name cannot be used again.',
        query,
        body,
        answers: {
          200: { description: 'The version was deleted.', schema: ref('Status') },
          ...refusals,
          ...errors(409),
        },
      },
      handle: (request) => deleteOne(kind, request),
    },
    {
      method: 'DELETE',
      path: `${config}/`,
      document: {
        operationId: `delete${kind}Versions`,
        summary: `Deletes all versions of a ${kind} except those that are current, being rolled out or in use. Without the trailing slash, the request is the Kubernetes API's own delete of the ${kind}.`,
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
      cost: 'dear',
      handle: (request) => deleteAll(kind, request),
    },
  ];
}

async function deleteOne(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { client } = requirePerson(request.caller);
  const address = addressOf(kind, request.parameters);
  const deletion = await readDeleteRequest(request);
  const { uid } = await deleteVersion(
    { client, fieldManager },
    address,
    request.parameters['version'] ?? '',
    deletion,
  );
  writeObject(request.response, 200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: address.name, kind: plurals[kind], uid },
    code: 200,
  });
  return 'answered';
}

async function deleteAll(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { client } = requirePerson(request.caller);
  const address = addressOf(kind, request.parameters);
  const deletion = await readDeleteRequest(request);
  writeObject(request.response, 200, {
    kind: 'VersionDeletion',
    apiVersion: 'trimtab.dev/v1alpha1',
    ...(await deleteAllVersions({ client, fieldManager }, address, deletion)),
  });
  return 'answered';
}
