import type { ConfigKind } from '../../../core/references/references.ts';
import { StatusError } from '../../answer/status-error.ts';
import { errors } from '../../openapi/schemas.ts';
import type { Route } from '../../route/route.ts';
import { plurals } from '../addressing/config-address.ts';

/** Versions are never changed. Whoever tries is told what they may have meant. */
export function immutableRoutes(kind: ConfigKind): Route[] {
  return (['PUT', 'PATCH'] as const).map((method) => ({
    method,
    path: `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}/{version}`,
    document: {
      operationId: `${method === 'PUT' ? 'replace' : 'patch'}${kind}Version`,
      summary: 'Refused: a version is never changed.',
      answers: errors(405),
    },
    async handle({ parameters: { namespace, name, version } }) {
      const config = `/api/v1/namespaces/${namespace}/${plurals[kind]}/${name}`;
      throw new StatusError(
        405,
        'MethodNotAllowed',
        `version ${JSON.stringify(version)} of ${plurals[kind]} ${JSON.stringify(name)} is immutable. Add a version with POST ${config}/{version}, and make it current with PUT ${config}/current and {"version": "…"}.`,
        { kind: plurals[kind], ...(name !== undefined && { name }) },
        { allow: 'GET, POST, DELETE' },
      );
    },
  }));
}
