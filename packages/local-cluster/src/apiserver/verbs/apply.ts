import { badRequest, conflict, notFound, StatusError } from '../errors/status-error.ts';
import { applyWrite } from '../managed-fields/apply-write.ts';
import type { ApiObject } from '../object.ts';
import { renderObject } from '../representation/render.ts';
import { type AppliedConfig, readConfig } from '../request/apply-config.ts';
import { type WriteOptions, writeOptions } from '../request/options.ts';
import { createObject, placeInNamespace } from './create.ts';
import { needRightToCreate } from './right-to-create.ts';
import { checkName, updateObject } from './update.ts';
import { type Answer, type VerbRequest, writerOf } from './verb-request.ts';

export const applyType = 'application/apply-patch+yaml';

/** Server-side apply: creates the object, or merges the config by field ownership. */
export async function apply(request: VerbRequest, text: string): Promise<Answer> {
  const { kind, query, info, services, render } = request;
  const options = writeOptions(query, 'PatchOptions', 'apply');
  const config = readConfig(text, options.fieldValidation);
  for (;;) {
    if (services.storage.text(kind, info.namespace, info.name ?? '') !== undefined) {
      const updated = await updateApplied(request, config, options);
      return { code: 200, body: renderObject(kind, updated, render) };
    }
    const created = await createApplied(request, config, options);
    if (created !== 'taken') return { code: 201, body: renderObject(kind, created, render) };
  }
}

/** Returns the stored text, or `taken` when the object was created concurrently. */
async function createApplied(
  request: VerbRequest,
  config: AppliedConfig,
  options: WriteOptions,
): Promise<string | 'taken'> {
  const { kind, info } = request;
  if (info.subresource !== '') throw notFound(kind, info.name ?? '');
  const object = appliedTo(undefined, request, config, options);
  placeInNamespace(object, kind, info.namespace);
  const { uid } = object.metadata;
  if (uid)
    throw conflict(
      kind,
      info.name ?? '',
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  needRightToCreate(request);
  try {
    const created = await createObject(request, object, options.dryRun);
    request.warnings.push(...config.duplicates);
    return created;
  } catch (error) {
    if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return 'taken';
    throw error;
  }
}

/** Returns the stored text. */
export async function updateApplied(
  request: VerbRequest,
  config: AppliedConfig,
  options: WriteOptions,
): Promise<string> {
  const next = (old: ApiObject) => {
    const object = appliedTo(old, request, config, options);
    if ((object.metadata.namespace ?? '') !== (old.metadata.namespace ?? ''))
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    return object;
  };
  const updated = await updateObject(request, options, next, 'apply');
  request.warnings.push(...config.duplicates);
  return updated;
}

function appliedTo(
  old: ApiObject | undefined,
  request: VerbRequest,
  { value, duplicates }: AppliedConfig,
  options: WriteOptions,
): ApiObject {
  const object = applyWrite(writerOf(request, options), old, value, options.force);
  if (duplicates.length > 0 && options.fieldValidation === 'Strict')
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n${duplicates.map((each) => `  ${each}`).join('\n')}`,
    );
  checkName(object, request.info.name ?? '');
  return object;
}
