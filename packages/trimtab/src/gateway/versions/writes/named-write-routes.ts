import { annotations, labels } from '../../../api/names.ts';
import { callerNeeds } from '../../../core/installation/caller-needs.ts';
import { quoted } from '../../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { versionNameProblem } from '../../../core/version/version-name.ts';
import { parseRelease } from '../../../core/workload/opt-in.ts';
import { readLive, readRollout } from '../../../versions/read-config.ts';
import { invalid } from '../../../versions/refusal.ts';
import { refuseType } from '../../../versions/writes/refuse-type.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { fieldManager } from '../../identity/field-manager.ts';
import { requirePerson } from '../../identity/require-person.ts';
import { configSchema, errors } from '../../openapi/schemas.ts';
import { writeParameters } from '../../request/field-validation.ts';
import type { GatewayRequest } from '../../request/gateway-request.ts';
import { refuseDuplicates } from '../../request/parse-body.ts';
import type { Handled, Route } from '../../route/route.ts';
import { addressOf, plurals } from '../addressing/config-address.ts';
import { parseIfNamed } from '../addressing/names-version.ts';
import { addLockedVersion, createByApply } from './add-locked-version.ts';
import { addVersionOfEdit, createUnlockedByApply, manageByEdit } from './add-version-of-edit.ts';
import { isFields, type NamedVersion, namedVersion, withAnnotationsOf } from './named-version.ts';
import type { NamedEdit } from './named-write.ts';
import { withPostAdvice } from './post-advice.ts';
import type { WrittenConfig } from './send-edit.ts';
import { type WriteFormat, writeFormat } from './write-format.ts';

/** PUT and PATCH of a config. Without `metadata.version` they are proxied unchanged. */
export function namedWriteRoutes(kind: ConfigKind): Route[] {
  const contentTypes = {
    PUT: ['application/json', 'application/yaml'],
    PATCH: [
      'application/strategic-merge-patch+json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
      'application/json-patch+json',
    ],
  };
  return (['PUT', 'PATCH'] as const).map((method) => ({
    method,
    path: `/api/v1/namespaces/{namespace}/${plurals[kind]}/{name}`,
    document: {
      operationId: `${method === 'PUT' ? 'replace' : 'patch'}${kind}`,
      summary: `${method === 'PUT' ? 'Replaces' : 'Patches'} a ${kind}; if the body has \`metadata.version\`, its content becomes the version of that name. In release mode Locked, the version is added without activating it. Without \`metadata.version\`, the request is proxied unchanged to the API server.`,
      rights: callerNeeds(kind).editConfig,
      query: {
        dryRun: { description: '`All`: check everything and write nothing.', schema: { enum: ['All'] } },
        fieldManager: { description: 'Name of the writer in `managedFields`.', schema: { type: 'string' } },
        fieldValidation: {
          description: 'How to handle unknown fields. Defaults to `Warn`.',
          schema: { enum: ['Ignore', 'Warn', 'Strict'] },
        },
      },
      body: {
        description: method === 'PUT' ? `A ${kind} as JSON or YAML.` : `A patch of a ${kind}.`,
        schema: method === 'PUT' ? configSchema(kind) : {},
        contentTypes: contentTypes[method],
      },
      answers: {
        200: {
          description: `The ${kind}; the version existed already, or the ${kind} was edited.`,
          schema: configSchema(kind),
        },
        201: {
          description: `The ${kind} with the content of the created version.`,
          schema: configSchema(kind),
        },
        ...errors(404, 409, 422),
      },
    },
    withoutCredentials: 'pass',
    handle: (request) => handle(kind, method, request),
  }));
}

async function handle(kind: ConfigKind, method: 'PUT' | 'PATCH', request: GatewayRequest): Promise<Handled> {
  const format = writeFormat(method, request.incoming.headers);
  if (format === undefined) return { pass: 'unread' };
  const read = await request.readBody();
  const named = await versionOf(format, read, request.turn);
  if (named.write === 'names no version') return { pass: read };
  if (named.write === 'removes the name') return { pass: asBody(named.body) };
  const address = addressOf(kind, request.parameters);
  const problem = versionNameProblem(named.version);
  if (problem !== undefined)
    throw invalid({ kind, name: address.name }, [
      { field: 'metadata.version', problem: `Invalid value: ${quoted(named.version)}: ${problem}` },
    ]);
  return write(address, request, format, named).catch((error: unknown) => {
    throw withPostAdvice(error, address);
  });
}

async function write(
  address: ConfigAddress,
  request: GatewayRequest,
  format: WriteFormat,
  { version, body }: Extract<NamedVersion, { write: 'names a version' }>,
): Promise<Handled> {
  const { client, username } = requirePerson(request.caller);
  const parameters = writeParameters(request.query);
  const context = { client, by: await username(), fieldManager: parameters.fieldManager ?? fieldManager };
  const [rollout, live] = await Promise.all([readRollout(client, address), readLive(client, address)]);
  if (live === undefined) {
    // The API server reports that the config does not exist.
    if (format.form !== 'apply') return { pass: asBody(body) };
    const creation = { address, request, version, body };
    if (isLockedWhenCreated(body)) return createByApply(context, creation);
    refuseType({ kind: address.kind, name: address.name }, typeIn(body));
    const created = await createUnlockedByApply(context, creation, rollout, parameters.dryRun);
    return answerWritten(request, 201, created);
  }
  const named: NamedEdit = { address, request, form: format.form, version, body, rollout, live };
  if (rollout?.spec.release === 'Locked') return addLockedVersion(context, named);
  // The controller has not unlocked it yet after its ConfigRollout was deleted.
  const isLocked = rollout === undefined && live.metadata.labels?.[labels.locked] !== undefined;
  if (isLocked) return addLockedVersion(context, named, 'Locked');
  const edit = { ...named, body: format.form === 'json-patch' ? withAnnotationsOf(live, body) : body };
  const written =
    rollout === undefined
      ? await manageByEdit(context, edit, parameters.dryRun)
      : await addVersionOfEdit(context, { ...edit, rollout }, parameters.dryRun);
  if (written === undefined) return { pass: asBody(edit.body) };
  return written === 'answered' ? written : answerWritten(request, 200, written);
}

function answerWritten(
  request: GatewayRequest,
  code: number,
  { object, warnings }: WrittenConfig,
): Promise<'answered'> {
  return answerObject(request, code, object, { warnings });
}

async function versionOf(
  { form, parsedAs }: WriteFormat,
  read: Buffer,
  turn: GatewayRequest['turn'],
): Promise<NamedVersion> {
  const parsed = await parseIfNamed(read, parsedAs, (value) => names(form, value), turn);
  if (parsed === undefined) return { write: 'names no version' };
  refuseDuplicates(parsed);
  return namedVersion(form, parsed.value);
}

function names(form: WriteFormat['form'], value: unknown): boolean {
  try {
    return namedVersion(form, value).write !== 'names no version';
  } catch {
    return true;
  }
}

/** As for a POST, a config that is created with a version is locked by default. */
function isLockedWhenCreated(body: unknown): boolean {
  const metadata = isFields(body) ? body['metadata'] : undefined;
  const own = isFields(metadata) && isFields(metadata['annotations']) ? metadata['annotations'] : {};
  const sent = own[annotations.release];
  // What is no text is refused with the other fields of a config.
  if (typeof sent !== 'string') return true;
  const release = parseRelease({ [annotations.release]: sent });
  return 'problem' in release || (release.value ?? 'Locked') === 'Locked';
}

function typeIn(body: unknown): string | undefined {
  const type = isFields(body) ? body['type'] : undefined;
  return typeof type === 'string' ? type : undefined;
}

/** JSON is YAML, too, so the content type stays valid. */
function asBody(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
