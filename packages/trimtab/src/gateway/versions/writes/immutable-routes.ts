import { longestName, quoted, shortened } from '../../../core/messages/quoted.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { StatusError } from '../../answer/status-error.ts';
import { errors } from '../../openapi/schemas.ts';
import type { Route } from '../../route/route.ts';
import { plurals } from '../addressing/config-address.ts';

/** Versions are immutable. The error names the requests to use instead. */
export function immutableRoutes(kind: ConfigKind): Route[] {
  return (['PUT', 'PATCH'] as const).map((method) => ({
    method,
    path: `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}/{version}`,
    document: {
      operationId: `${method === 'PUT' ? 'replace' : 'patch'}${kind}Version`,
      summary: 'Always refused: versions are immutable.',
      answers: errors(405),
    },
    async handle({ parameters: { namespace = '', name = '', version } }) {
      const config = `/api/v1/namespaces/${shortened(namespace)}/${plurals[kind]}/${shortened(name, longestName)}`;
      throw new StatusError(
        405,
        'MethodNotAllowed',
        `version ${quoted(version, longestName)} of ${plurals[kind]} ${quoted(name, longestName)} is immutable. Add a new version with POST ${config}/{version}, and activate it with PUT ${config}/current and the body {"version": "…"}.`,
        { kind: plurals[kind], name: shortened(name, longestName) },
        { allow: 'GET, HEAD, POST, DELETE' },
      );
    },
  }));
}
