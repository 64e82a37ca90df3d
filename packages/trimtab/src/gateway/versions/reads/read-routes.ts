import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { findVersion } from '../../../versions/reads/find-version.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { errors, versionSchema } from '../../openapi/schemas.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';

export function readRoutes(kind: ConfigKind): Route[] {
  // `/api/version` is a documented alias of `/api/v1`.
  return ['v1', 'version'].map((api): Route => {
    const isAlias = api === 'version';
    return {
      method: 'GET',
      path: `/api/${api}/namespaces/{namespace}/${plurals[kind]}/{name}/{version}`,
      document: {
        operationId: `read${kind}Version${isAlias ? 'Alias' : ''}`,
        summary: `Reads one version of a ${kind}. The content of an unmanaged ${kind} is its version: 1.0.0, or the name in its annotation \`trimtab.dev/version\`.${isAlias ? ' Alias of the path below `/api/v1`.' : ''}`,
        rights: callerNeeds(kind).readVersion,
        answers: {
          200: { description: 'The version.', schema: versionSchema(kind) },
          ...errors(404),
        },
      },
      handle: (request) => read(kind, request),
    };
  });
}

async function read(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { parameters, caller, signal } = request;
  const { client } = requirePerson(caller);
  const address = addressOf(kind, parameters);
  const found = await findVersion(client, address, parameters['version'] ?? '', signal);
  return answerObject(request, 200, found);
}
