import { annotations } from '../../../api/names.ts';
import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import { abbreviate } from '../../../core/messages/abbreviate.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { presentVersion } from '../../../versions/reads/present.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { createConfig, metadataOf } from '../../../versions/writes/create-config.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { fieldManager } from '../../identity/field-manager.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { configSchema, errors, versionSchema } from '../../openapi/schemas.ts';
import { type BodyFormat, bodyFormat } from '../../request/content-type.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { parseBody } from '../../request/parse-body.ts';
import type { ParsedText } from '../../request/parse-limits.ts';
import type { Handled, Route } from '../../route/route.ts';
import { plurals } from '../addressing/config-address.ts';
import { hasVersion, parseIfNamed } from '../addressing/names-version.ts';
import { postTarget } from '../addressing/post-target.ts';
import { withPostAdvice } from './post-advice.ts';
import { sentConfig } from './sent-config.ts';

export function postRoutes(kind: ConfigKind): Route[] {
  const collection = `/api/v1/namespaces/{namespace}/${plurals[kind]}`;
  const handle = (request: GatewayRequest) => post(kind, request);
  const created = {
    201: {
      description:
        'The created version with its state. When a config is created again, a Warning header says which version is still current.',
      schema: versionSchema(kind),
    },
  };
  const body = { description: `A ${kind} as JSON or YAML.`, schema: configSchema(kind) };
  const query = {
    dryRun: { description: '`All`: check everything and write nothing.', schema: { enum: ['All'] } },
    fieldManager: { description: 'Name of the writer in `managedFields`.', schema: { type: 'string' } },
    fieldValidation: {
      description: 'How to handle unknown fields. Defaults to `Warn`.',
      schema: { enum: ['Ignore', 'Warn', 'Strict'] },
    },
  };
  const writes = errors(404, 409, 422);
  return [
    {
      method: 'POST',
      path: collection,
      document: {
        operationId: `create${kind}WithVersion`,
        summary: `Creates a ${kind} with the first version that \`metadata.version\` names. Without \`metadata.version\`, the request is proxied unchanged to the API server.`,
        rights: callerNeeds(kind).createConfig,
        query,
        body,
        answers: { ...created, ...writes },
      },
      withoutCredentials: 'pass',
      handle: (request) => postToCollection(kind, request),
    },
    {
      method: 'POST',
      path: `${collection}/{segment}`,
      document: {
        operationId: `create${kind}OrAddVersion`,
        summary: `If the body names another config, creates that ${kind} with the segment as its first version. Otherwise the segment is the name of the ${kind}, and a version is added to it: \`metadata.version\`, or the next automatic name.`,
        rights: callerNeeds(kind).createConfig,
        query,
        body,
        answers: { ...created, ...writes },
      },
      handle,
    },
    ...[`${collection}/{name}/`, `${collection}/{name}/{version}`].map(
      (path, index): Route => ({
        method: 'POST',
        path,
        document: {
          operationId: index === 0 ? `addUnnamed${kind}Version` : `add${kind}Version`,
          summary: `Adds a version to a ${kind}${index === 0 ? ' under the next automatic name' : ''} without activating it. The content of an unmanaged ${kind} becomes a version first: 1.0.0, or the name in its annotation \`trimtab.dev/version\`.`,
          rights: callerNeeds(kind).addVersion,
          query,
          body,
          answers: { ...created, ...writes },
        },
        handle,
      }),
    ),
  ];
}

async function postToCollection(kind: ConfigKind, request: GatewayRequest): Promise<Handled> {
  const format = knownFormat(request);
  if (format === undefined) return { pass: 'unread' };
  const body = await request.readBody();
  const parsed = await parseIfNamed(body, format, hasVersion, request.turn);
  return parsed === undefined ? { pass: body } : answer(kind, request, parsed);
}

/** Undefined for a format that cannot name a version, such as protobuf, or that an API server refuses. */
function knownFormat({ incoming }: GatewayRequest): BodyFormat | undefined {
  try {
    return bodyFormat(incoming.headers);
  } catch {
    return undefined;
  }
}

async function post(kind: ConfigKind, request: GatewayRequest): Promise<Handled> {
  requirePerson(request.caller);
  const format = bodyFormat(request.incoming.headers);
  return answer(kind, request, parseBody(await request.readBody(), format));
}

async function answer(kind: ConfigKind, request: GatewayRequest, parsed: ParsedText): Promise<'answered'> {
  const { caller, parameters: path } = request;
  const person = requirePerson(caller);
  const { body, version, parameters, warnings } = sentConfig(kind, request, parsed);
  const by = await person.username();
  const target = postTarget(kind, { namespace: '', ...path }, { body, version });
  const context: WriteContext = {
    client: person.client,
    by,
    fieldManager: parameters.fieldManager ?? fieldManager,
  };
  const { address } = target;
  const writing =
    target.does === 'create'
      ? createConfig(context, address, body, target.version, parameters.dryRun)
      : addVersion(context, address, body, target.version, parameters.dryRun);
  const { rollout, object, state, notices } = await writing.catch((error: unknown) => {
    throw withPostAdvice(error, address);
  });
  const created = metadataOf(address, rollout, object);
  const where = `/api/v1/namespaces/${address.namespace}/${plurals[kind]}/${address.name}/${encodeURIComponent(created.name)}`;
  return answerObject(request, 201, presentVersion({ ...created, state }, object), {
    headers: { location: where },
    warnings: [...warnings, ...notices, ...(target.does === 'add' ? leftBehind(body.metadata) : [])],
  });
}

/** Versions carry only Trimtab's labels and annotations. kubectl's own annotation is dropped without a warning. */
function leftBehind({ labels, annotations: own }: { labels?: object; annotations?: object }): string[] {
  const ignored = ['kubectl.kubernetes.io/last-applied-configuration', annotations.version];
  const lost = Object.keys({ ...labels, ...own }).filter((key) => !ignored.includes(key));
  return lost.length === 0
    ? []
    : [
        `labels and annotations of a version are not stored: ${abbreviate(lost).join(', ')}; set them on the config instead`,
      ];
}
