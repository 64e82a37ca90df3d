import type { ConfigKind } from '../../core/references.ts';
import { notFound } from '../answer/status-error.ts';
import { writeObject } from '../answer/write-answer.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import type { Route } from '../route/route.ts';
import { personOnly } from '../who/person-only.ts';
import { addressOf, plurals } from './config-address.ts';
import { presentUnmanaged, presentVersion } from './present.ts';
import { readLive, readRollout, readVersion } from './read-config.ts';

export function readRoutes(kind: ConfigKind): Route[] {
  return [
    {
      method: 'GET',
      path: `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}/{version}`,
      document: {
        operationId: `read${kind}Version`,
        summary: `One version of a ${kind}.`,
        answers: { 200: { description: 'The version.' }, 404: { description: 'There is no such version.' } },
      },
      handle: (request) => read(kind, request),
    },
  ];
}

async function read(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { parameters, caller, signal, response } = request;
  const { client } = personOnly(caller);
  const address = addressOf(kind, parameters);
  const { version = '' } = parameters;
  const about = { kind: plurals[kind], name: address.name };
  const rollout = await readRollout(client, address, signal);
  if (rollout === undefined) {
    const live = await readLive(client, address, signal);
    if (live === undefined) throw notFound(`${plurals[kind]} "${address.name}" not found`, about);
    if (version !== '1.0.0')
      throw notFound(
        `${plurals[kind]} "${address.name}" is not managed by Trimtab and has the version "1.0.0" only`,
        about,
      );
    writeObject(response, 200, presentUnmanaged(live));
    return 'answered';
  }
  const found = await readVersion(client, address, rollout, version, signal);
  if (found === undefined)
    throw notFound(`${plurals[kind]} "${address.name}" has no version ${JSON.stringify(version)}`, about);
  writeObject(response, 200, presentVersion(found.head, found.body));
  return 'answered';
}
