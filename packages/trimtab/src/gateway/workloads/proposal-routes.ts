import { type AnyObject, podTemplateOf } from '../../core/injection/pod-template-of.ts';
import { convertProposalFields } from '../../core/injection/proposal-fields.ts';
import { invalid } from '../../versions/refusal.ts';
import type { BodyFormat } from '../request/content-type.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import { parseBody } from '../request/parse-body.ts';
import type { Handled, JsonSchema, Route } from '../route/route.ts';

/** The collections whose objects have a pod template. */
const collections = [
  { root: '/api/v1', plural: 'pods', kind: 'Pod' },
  { root: '/api/v1', plural: 'replicationcontrollers', kind: 'ReplicationController' },
  { root: '/apis/apps/v1', plural: 'deployments', kind: 'Deployment' },
  { root: '/apis/apps/v1', plural: 'statefulsets', kind: 'StatefulSet' },
  { root: '/apis/apps/v1', plural: 'daemonsets', kind: 'DaemonSet' },
  { root: '/apis/apps/v1', plural: 'replicasets', kind: 'ReplicaSet' },
  { root: '/apis/batch/v1', plural: 'jobs', kind: 'Job' },
  { root: '/apis/batch/v1', plural: 'cronjobs', kind: 'CronJob' },
] as const;

type Collection = (typeof collections)[number];

/** Formats in which an object, or a part of it, is sent. A JSON patch and protobuf cannot have these fields. */
const formats: Record<string, BodyFormat> = {
  '': 'json',
  'application/json': 'json',
  'application/merge-patch+json': 'json',
  'application/strategic-merge-patch+json': 'json',
  'application/yaml': 'yaml',
  'application/apply-patch+yaml': 'yaml',
};

/**
 * Routes that turn `spec.ConfigRestarts` and `spec.OverrideConfigPort` of the proposal into annotations of the pod
 * template. All other requests to these paths are proxied unchanged.
 */
export function proposalRoutes(): Route[] {
  return collections.flatMap((collection) => {
    const { root, plural } = collection;
    const all = `${root}/namespaces/{namespace}/${plural}`;
    const route = (method: Route['method'], path: string): Route => ({
      method,
      path,
      document: {
        operationId: 'convertProposalFields',
        summary: 'Turns the fields of the proposal into annotations.',
        query: {
          dryRun: { description: '`All`: check everything and write nothing.', schema: { enum: ['All'] } },
          fieldManager: { description: 'Name of the writer in `managedFields`.', schema: { type: 'string' } },
        },
        body: {
          description: `A ${collection.kind}, or a patch of one.`,
          schema: sentSchema(collection),
          contentTypes: Object.keys(formats).filter((type) =>
            method === 'PATCH' ? isPatchType(type) : type !== '' && !isPatchType(type),
          ),
        },
        answers: {},
      },
      withoutCredentials: 'pass',
      handle: (request) => convert(collection, request),
    });
    return [route('POST', all), route('PUT', `${all}/{name}`), route('PATCH', `${all}/{name}`)];
  });
}

function isPatchType(type: string): boolean {
  return type.includes('patch');
}

/** The part of an object that the conversion reads. */
function sentSchema({ root, kind }: Collection): JsonSchema {
  const metadata = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      annotations: { type: 'object', additionalProperties: { type: 'string' } },
    },
  };
  const spec = {
    type: 'object',
    properties: {
      ConfigRestarts: { type: 'boolean' },
      OverrideConfigPort: { type: 'integer' },
      template: { type: 'object', properties: { metadata, spec: { type: 'object' } } },
    },
  };
  const apiVersion = root.replace(/^\/apis?\//, '');
  return {
    type: 'object',
    properties: { apiVersion: { const: apiVersion }, kind: { const: kind }, metadata, spec },
  };
}

async function convert(
  collection: Collection,
  { incoming, parameters, readBody }: GatewayRequest,
): Promise<Handled> {
  const [media = ''] = (incoming.headers['content-type'] ?? '').split(';');
  const format = formats[media.trim().toLowerCase()];
  // Controllers send protobuf, and need not wait until their bodies are read.
  if (format === undefined || incoming.headers['content-encoding'] !== undefined) return { pass: 'unread' };
  const body = await readBody();
  if (!body.includes('ConfigRestarts') && !body.includes('OverrideConfigPort')) return { pass: body };
  const { value } = parseBody(body, format);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { pass: body };
  const sent = value as AnyObject;
  const converted = convertProposalFields(whole(sent, collection, incoming.method === 'PATCH'));
  if (converted === undefined) return { pass: body };
  if ('problems' in converted) {
    const named: unknown = parameters['name'] ?? sent.metadata?.name;
    const about = { kind: collection.kind, name: typeof named === 'string' ? named : '' };
    throw invalid(
      about,
      converted.problems.map((problem) => ({ field: 'spec', problem })),
    );
  }
  const { kind, ...rest } = converted.object;
  // JSON is YAML, too, so the content type stays valid.
  return { pass: Buffer.from(JSON.stringify(sent.kind === undefined ? rest : { kind, ...rest })) };
}

/** A patch may name only what it changes: adds what the conversion needs to find the pod template. */
function whole(sent: AnyObject, { kind }: Collection, isPatch: boolean): AnyObject {
  const named = { ...sent, kind };
  if (!isPatch || kind === 'CronJob' || podTemplateOf(named) !== undefined) return named;
  const { template = {}, ...spec } = (sent.spec ?? {}) as { template?: object };
  return { ...named, spec: { ...spec, template: { ...template, spec: {} } } };
}
