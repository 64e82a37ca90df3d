import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import { quoted } from '../../../core/messages/quoted.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { findVersion } from '../../../versions/reads/find-version.ts';
import { badRequest } from '../../../versions/refusal.ts';
import { versionDiff } from '../../../view/diff/version-diff.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { writeText } from '../../answer/write-answer.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { errors, ref } from '../../openapi/schemas.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import type { Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';

export function diffRoutes(kind: ConfigKind): Route[] {
  return [
    {
      method: 'GET',
      path: `/apis/trimtab.dev/v1alpha1/namespaces/{namespace}/${plurals[kind]}/{name}/versions/{a}/diff/{b}`,
      document: {
        operationId: `diff${kind}Versions`,
        summary: `Compares two versions of a ${kind}; either may be \`current\`. Returns a unified diff as text, or JSON to a client that accepts it.`,
        rights: callerNeeds(kind).diffVersions,
        ...(kind === 'Secret' && {
          query: {
            'show-values': {
              description: 'Whether to include values. Defaults to `false`.',
              schema: { type: 'boolean', default: false },
            },
          },
        }),
        answers: {
          200: {
            description: 'The diff; empty text when there is no difference.',
            schema: ref('VersionDiff'),
            contentTypes: ['application/json', 'application/yaml', 'text/plain'],
          },
          ...errors(404),
        },
      },
      cost: 'expensive',
      handle: (request) => diff(kind, request),
    },
  ];
}

async function diff(kind: ConfigKind, request: GatewayRequest): Promise<'answered'> {
  const { caller, parameters, query, signal, response, unsent } = request;
  const { client } = requirePerson(caller);
  const address = addressOf(kind, parameters);
  const showValues = flag(query, 'show-values');
  const [from, to] = await Promise.all(
    [parameters['a'], parameters['b']].map((version) => findVersion(client, address, version ?? '', signal)),
  );
  if (from === undefined || to === undefined) throw new Error('a version of the diff is missing');
  await request.turn();
  const sideOf = (body: typeof from) => ({ version: body.metadata.version, body });
  const compared = versionDiff(address, sideOf(from), sideOf(to), showValues);
  if (!/\b(json|yaml)\b/.test(request.incoming.headers.accept ?? '')) {
    writeText(response, 200, 'text/plain; charset=utf-8', compared.text(), { unsent });
    return 'answered';
  }
  return answerObject(request, 200, compared.object());
}

function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw badRequest(`the parameter ${name} must be true or false, not ${quoted(text)}`);
}
