import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../admission/admission.ts';
import { isObject } from '../object.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** A completed request as an Event of audit.k8s.io/v1. */
export interface AuditEvent {
  kind: 'Event';
  apiVersion: 'audit.k8s.io/v1';
  level: 'Metadata' | 'RequestResponse';
  auditID: string;
  stage: 'ResponseComplete';
  requestURI: string;
  verb: string;
  user: UserInfo | Record<string, never>;
  impersonatedUser?: UserInfo;
  sourceIPs: string[];
  userAgent: string;
  objectRef?: object;
  responseStatus: object;
  requestObject?: unknown;
  responseObject?: unknown;
  requestReceivedTimestamp: string;
  stageTimestamp: string;
  annotations?: Record<string, string>;
}

/** Data about a request that the pipeline collects for its audit event. */
export interface Audited {
  id: string;
  receivedAt: number;
  user?: UserInfo;
  impersonated?: UserInfo;
  info?: RequestInfo;
  annotations: Record<string, string>;
  requestBody?: string;
  responseBody?: string;
}

/** Resources whose bodies hold secrets, which must not be logged. */
const secretResources = new Set(['secrets', 'tokenreviews', 'serviceaccounts/token']);
const writes = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Returns the audit event of a request; undefined for requests that are not about resources. */
export function auditEvent(
  audited: Audited,
  incoming: IncomingMessage,
  code: number,
  now: number,
): AuditEvent | undefined {
  const { info, user, impersonated } = audited;
  if (info === undefined || !info.isResource) return undefined;
  const resource = info.subresource === '' ? info.resource : `${info.resource}/${info.subresource}`;
  const isSecret = secretResources.has(resource);
  const isWrite = writes.has(info.verb);
  const withBodies = isWrite && !isSecret;
  const annotations = isSecret ? withoutPatches(audited.annotations) : audited.annotations;
  const requestObject = parsed(audited.requestBody);
  // Bodies of successful reads are not audited, as they may be large.
  const responseObject = isWrite || code >= 400 ? parsed(audited.responseBody) : undefined;
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: withBodies ? 'RequestResponse' : 'Metadata',
    auditID: audited.id,
    stage: 'ResponseComplete',
    requestURI: incoming.url ?? '/',
    verb: info.verb,
    user: user ?? {},
    ...(impersonated !== undefined && { impersonatedUser: impersonated }),
    sourceIPs: [incoming.socket.remoteAddress ?? ''],
    userAgent: incoming.headers['user-agent'] ?? '',
    objectRef: referenceOf(info, requestObject, responseObject),
    responseStatus: statusOf(responseObject, code, isSecret),
    ...(withBodies && audited.requestBody && { requestObject }),
    ...(withBodies && { responseObject }),
    requestReceivedTimestamp: micros(audited.receivedAt),
    stageTimestamp: micros(now),
    ...(Object.keys(annotations).length > 0 && { annotations }),
  };
}

function referenceOf(info: RequestInfo, asked: unknown, answered: unknown): object {
  const { resource, subresource, namespace, name, group, version } = info;
  // A refused create has its name in the request only; a create with a generated name has it in the response only.
  const shownName = name ?? (info.verb === 'create' ? (nameIn(asked) ?? nameIn(answered)) : undefined);
  const isNamespace = group === '' && resource === 'namespaces' && name !== undefined;
  return {
    resource,
    ...(isNamespace ? { namespace: name } : namespace !== undefined && { namespace }),
    ...(shownName !== undefined && { name: shownName }),
    ...(group !== '' && { apiGroup: group }),
    apiVersion: version,
    ...(subresource !== '' && { subresource }),
  };
}

function nameIn(body: unknown): string | undefined {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  const name = isObject(metadata) ? metadata['name'] : undefined;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

/** Patches of webhooks to a Secret contain parts of the Secret. */
function withoutPatches(annotations: Record<string, string>): Record<string, string> {
  const kept = Object.entries(annotations).filter(
    ([key]) => !key.startsWith('patch.webhook.admission.k8s.io/'),
  );
  return Object.fromEntries(kept);
}

/** The message of a refusal may quote the request, so for a Secret only the reason is recorded. */
function statusOf(answered: unknown, code: number, isSecret: boolean): object {
  if (!isObject(answered) || answered['kind'] !== 'Status') return { metadata: {}, code };
  const { status, reason } = answered;
  const { message, details } = isSecret ? {} : answered;
  return {
    metadata: {},
    ...(status !== undefined && { status }),
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && { details }),
    code,
  };
}

function parsed(text: string | undefined): unknown {
  if (text === undefined || text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function micros(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
