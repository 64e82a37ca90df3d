import type { Status } from '@trimtab/kube/wire.ts';
import { internalError, StatusError } from '../../errors/status-error.ts';
import { isObject } from '../../object.ts';
import { goJsonError } from '../../schema/go-json-error.ts';
import type { AdmissionRequest } from '../admission-request.ts';
import { CallProblem, postReview } from './post-review.ts';
import type { Webhook } from './webhook-objects.ts';

export interface Response {
  allowed: boolean;
  status?: Partial<Status>;
  /** Decoded JSON patch operations. */
  patch: unknown[] | undefined;
  warnings: string[];
  auditAnnotations: Record<string, string>;
}

/** The response of the webhook is invalid. */
class ResponseProblem extends Error {
  override readonly name = 'ResponseProblem';
}

/**
 * Calls one webhook. When the call fails, returns undefined if the failurePolicy is Ignore, and throws a StatusError
 * otherwise.
 */
export async function callWebhook(
  webhook: Webhook,
  request: AdmissionRequest,
  mutating: boolean,
): Promise<Response | undefined> {
  const version =
    webhook.admissionReviewVersions?.find((each) => each === 'v1' || each === 'v1beta1') ?? 'v1';
  const apiVersion = `admission.k8s.io/${version}`;
  try {
    const text = await postReview(webhook, reviewText(apiVersion, request));
    return readResponse(text, apiVersion, request.uid, mutating);
  } catch (error) {
    if (!(error instanceof CallProblem || error instanceof ResponseProblem)) throw error;
    if (webhook.failurePolicy === 'Ignore') return undefined;
    const what =
      error instanceof CallProblem ? 'failed to call webhook' : 'received invalid webhook response';
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${what}: ${error.message}`);
  }
}

function reviewText(apiVersion: string, request: AdmissionRequest): string {
  const { uid, kind, resource, subresource, name, namespace, operation, userInfo, dryRun } = request;
  const sub = (key: string) => (subresource === '' ? {} : { [key]: subresource });
  return JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion,
    request: {
      uid,
      kind,
      resource,
      ...sub('subResource'),
      requestKind: request.requestKind,
      requestResource: request.requestResource,
      ...sub('requestSubResource'),
      ...(name !== '' && { name }),
      ...(namespace !== '' && { namespace }),
      operation,
      userInfo,
      object: request.object ?? null,
      oldObject: request.oldObject ?? null,
      dryRun,
      options: request.options ?? null,
    },
  });
}

function readResponse(text: string, apiVersion: string, uid: string, mutating: boolean): Response {
  const review = parse(text);
  const { kind, apiVersion: version, response } = isObject(review) ? review : {};
  if (kind !== 'AdmissionReview' || version !== apiVersion)
    throw new ResponseProblem(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${String(version ?? '/')}, Kind=${String(kind ?? '')}`,
    );
  if (!isObject(response)) throw new ResponseProblem('webhook response was absent');
  if (apiVersion.endsWith('/v1') && response['uid'] !== uid)
    throw new ResponseProblem(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response['uid'] ?? '')}`,
    );
  const { patch, patchType, status, warnings, auditAnnotations } = response;
  const hasPatch = typeof patch === 'string' && patch !== '';
  if (hasPatch && !mutating) throw new ResponseProblem('validating webhook may not return response.patch');
  if (hasPatch && patchType === undefined)
    throw new ResponseProblem('webhook returned response.patch but not response.patchType');
  if (!hasPatch && patchType !== undefined)
    throw new ResponseProblem('webhook returned response.patchType but not response.patch');
  if (patchType !== undefined && patchType !== 'JSONPatch')
    throw new ResponseProblem(`webhook returned invalid response.patchType of ${JSON.stringify(patchType)}`);
  return {
    allowed: response['allowed'] === true,
    ...(isObject(status) && { status: status as Partial<Status> }),
    patch: hasPatch ? operations(patch) : undefined,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    auditAnnotations: isObject(auditAnnotations) ? (auditAnnotations as Record<string, string>) : {},
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallProblem(`couldn't get version/kind; json parse error: ${goJsonError(text)}`);
  }
}

function operations(patch: string): unknown[] {
  const text = Buffer.from(patch, 'base64').toString('utf8');
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // Reported below, like JSON that is not a list.
  }
  throw internalError('webhook patch is not a list of JSON patch operations');
}

/** Returns the error for a write that a webhook denied. */
export function deniedBy({ name }: Webhook, { status = {} }: Response): StatusError {
  const who = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { message, reason, code = 0, details } = status;
  const told = message ? `${who}: ${message}` : reason ? `${who}: ${reason}` : `${who} without explanation`;
  return new StatusError(Math.max(code, 400), reason, told, details);
}
