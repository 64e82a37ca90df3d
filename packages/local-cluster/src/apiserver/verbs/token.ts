import { timestamp } from '../../objects/timestamp.ts';
import { type FieldError, invalid, invalidObject } from '../errors/field-error.ts';
import { badRequest, conflict, notFound } from '../errors/status-error.ts';
import { type Claims, issuer } from '../identity/service-account-tokens.ts';
import { node } from '../kinds/core/node.ts';
import { pod } from '../kinds/core/pod.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import { secret } from '../kinds/core/secret.ts';
import { defineKind } from '../kinds/define-kind.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ApiObject } from '../object.ts';
import { renderJson } from '../representation/render.ts';
import { mediaType, readBody } from '../request/body.ts';
import { decodeBody, targetOf } from '../request/decode-body.ts';
import { writeOptions } from '../request/options.ts';
import type { Answer, VerbRequest } from './verb-request.ts';

interface TokenRequest extends ApiObject {
  spec: {
    audiences?: string[] | null;
    expirationSeconds?: number;
    boundObjectRef?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  };
}

/** Served as a subresource of service accounts only. */
const tokenRequest = defineKind<TokenRequest>({
  group: 'authentication.k8s.io',
  kind: 'TokenRequest',
  plural: 'tokenrequests',
  definition: 'io.k8s.api.authentication.v1.TokenRequest',
  strategy: { nameRule: dnsSubdomain },
  columns: [],
});

/** POST serviceaccounts/x/token issues a token that expires, and that is invalid once its bound object is deleted. */
export async function createToken(request: VerbRequest): Promise<Answer> {
  const { query, incoming, services, render } = request;
  const options = writeOptions(query, 'CreateOptions');
  const body = await readBody(incoming);
  const type = mediaType(incoming);
  const { object, warnings } = decodeBody(body, type, targetOf(tokenRequest), options.fieldValidation);
  request.warnings.push(...warnings);
  const { spec } = object as TokenRequest;
  const expirationSeconds = spec.expirationSeconds ?? 3600;
  const audiences = spec.audiences?.length ? spec.audiences : [issuer];
  const errors = durationErrors(expirationSeconds);
  if (errors.length > 0) throw invalidObject(tokenRequest, '', errors);
  const claims = boundClaims(request, spec);
  const now = services.clock.now();
  const token = services.access.signer.issue(claims, { audiences, expirationSeconds, now });
  const { namespace, serviceaccount } = claims;
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: serviceaccount.name, namespace, creationTimestamp: timestamp(now) },
    spec: { ...spec, audiences, expirationSeconds },
    status: { token, expirationTimestamp: timestamp(now + expirationSeconds * 1000) },
  };
  return { code: 201, body: renderJson(answer, render.as) };
}

function durationErrors(seconds: number): FieldError[] {
  const field = 'spec.expirationSeconds';
  if (seconds < 600) return [invalid(field, seconds, 'may not specify a duration less than 10 minutes')];
  if (seconds > 2 ** 32)
    return [invalid(field, seconds, 'may not specify a duration larger than 2^32 seconds')];
  return [];
}

function boundClaims(
  { kind, info, services }: VerbRequest,
  spec: TokenRequest['spec'],
): Claims['kubernetes.io'] {
  const { namespace = '', name = '' } = info;
  const account = services.storage.need(kind, namespace, name).object.metadata;
  const claims: Claims['kubernetes.io'] = {
    namespace,
    serviceaccount: { name, ...(account.uid !== undefined && { uid: account.uid }) },
  };
  const { boundObjectRef: bound } = spec;
  if (bound === undefined) return claims;
  const { apiVersion = '', kind: type = '', name: boundName = '' } = bound;
  const target = apiVersion === 'v1' ? { Pod: pod, Secret: secret }[type as 'Pod' | 'Secret'] : undefined;
  if (target === undefined)
    throw badRequest(`cannot bind token to object of type ${goType(apiVersion, type)}`);
  const found = services.storage.get(target, namespace, boundName)?.object;
  if (found === undefined) throw notFound(target, boundName);
  if (target === pod && (found as Pod).spec.serviceAccountName !== name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(name)} to pod running with different serviceaccount name.`,
    );
  const { uid = '' } = found.metadata;
  if (bound.uid && bound.uid !== uid)
    throw conflict(
      { group: '', plural: type },
      boundName,
      `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  const reference = { name: boundName, uid };
  if (target === secret) return { ...claims, secret: reference };
  const { nodeName } = (found as Pod).spec;
  if (!nodeName) return { ...claims, pod: reference };
  const nodeUid = services.storage.get(node, undefined, nodeName)?.object.metadata.uid;
  return {
    ...claims,
    node: { name: nodeName, ...(nodeUid !== undefined && { uid: nodeUid }) },
    pod: reference,
  };
}

/** Prints a group, version and kind as Go does. */
function goType(apiVersion: string, kind: string): string {
  const text = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${text}, Kind=${kind}`;
}
