import { type FieldError, invalid, invalidObject, notSupported } from '../errors/field-error.ts';
import { badRequest } from '../errors/status-error.ts';
import { isObject } from '../object.ts';
import { dryRunProblems, integer } from './options.ts';
import { isTrue } from './request-info.ts';

export interface DeleteOptions {
  dryRun: boolean;
  gracePeriodSeconds: number | undefined;
  propagationPolicy: 'Orphan' | 'Background' | 'Foreground' | undefined;
  preconditions: { uid?: string; resourceVersion?: string };
}

/** Reads DeleteOptions from the body if there is one, otherwise from the query. */
export function deleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const raw = isObject(body) ? body : fromQuery(query);
  checkType(raw);
  const dryRun = strings(raw['dryRun']);
  const errors: FieldError[] = [];
  const policy = raw['propagationPolicy'];
  const orphan = raw['orphanDependents'];
  if (policy !== undefined && orphan !== undefined && orphan !== null)
    errors.push(
      invalid('propagationPolicy', policy, 'orphanDependents and deletionPropagation cannot be both set'),
    );
  if (
    policy !== undefined &&
    policy !== null &&
    !['Foreground', 'Background', 'Orphan', ''].includes(String(policy))
  )
    errors.push(notSupported('propagationPolicy', policy, ['Foreground', 'Background', 'Orphan', 'nil']));
  errors.push(...dryRunProblems(dryRun));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  const grace = raw['gracePeriodSeconds'];
  return {
    dryRun: dryRun.length > 0,
    gracePeriodSeconds: typeof grace === 'number' ? (grace < 0 ? 1 : grace) : undefined,
    propagationPolicy: policyOf(policy, orphan),
    preconditions: preconditionsOf(raw['preconditions']),
  };
}

function policyOf(policy: unknown, orphan: unknown): DeleteOptions['propagationPolicy'] {
  if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy;
  if (typeof orphan === 'boolean') return orphan ? 'Orphan' : 'Background';
  return undefined;
}

function preconditionsOf(value: unknown): DeleteOptions['preconditions'] {
  if (!isObject(value)) return {};
  const { uid, resourceVersion } = value;
  return {
    ...(typeof uid === 'string' && { uid }),
    ...(typeof resourceVersion === 'string' && { resourceVersion }),
  };
}

function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const raw: Record<string, unknown> = {};
  const grace = query.get('gracePeriodSeconds');
  if (grace !== null) raw['gracePeriodSeconds'] = integer(grace);
  const policy = query.get('propagationPolicy');
  if (policy !== null) raw['propagationPolicy'] = policy;
  if (query.has('orphanDependents')) raw['orphanDependents'] = isTrue(query.get('orphanDependents'));
  if (query.has('dryRun')) raw['dryRun'] = query.getAll('dryRun');
  return raw;
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function checkType({ kind, apiVersion }: Record<string, unknown>): void {
  if ((kind === undefined || kind === '' || kind === 'DeleteOptions') && isVersion(apiVersion)) return;
  const version = apiVersion || 'meta.k8s.io/v1';
  throw badRequest(
    `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme "pkg/runtime/scheme.go:111"`,
  );
}

/** Any version is valid, as every group version has DeleteOptions. */
function isVersion(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}
