import { configResources } from '@trimtab/kube/resource.ts';
import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import { annotations, labels } from '../../../api/names.ts';
import { abbreviate } from '../../../core/messages/abbreviate.ts';
import { stateOf, type VersionState } from '../../../core/version/version-state.ts';
import { readLive, readVersion } from '../../../versions/read-config.ts';
import { readCurrentVersion } from '../../../versions/reads/read-current-version.ts';
import { conflict, invalid } from '../../../versions/refusal.ts';
import { addVersion } from '../../../versions/writes/add-version.ts';
import { createConfig } from '../../../versions/writes/create-config.ts';
import { nameUsed } from '../../../versions/writes/name-used.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import { answerObject } from '../../answer/answer-object.ts';
import { writeParameters } from '../../request/field-validation.ts';
import { postTarget } from '../addressing/post-target.ts';
import { appliedManifest } from './applied-manifest.ts';
import { leftOutKeys } from './left-out-keys.ts';
import type { Fields } from './named-version.ts';
import type { NamedEdit, NamedWrite } from './named-write.ts';
import { patchedConfig } from './patched-config.ts';
import { checkedConfig, type ReadConfig } from './sent-config.ts';
import { hasContentOf } from './version-content.ts';

/**
 * Adds the content of a write as a version of a locked config, whose data nobody may edit. The live config stays as it
 * is, and the response shows it with the content of the version. The same write again changes nothing. `release` makes an
 * unmanaged config Locked.
 */
export async function addLockedVersion(
  context: WriteContext,
  edit: NamedEdit,
  release?: 'Locked',
): Promise<'answered'> {
  const { address, request, rollout, live, version } = edit;
  const parameters = writeParameters(request.query);
  const sent = checkedConfig(address.kind, contentOf(edit), parameters);
  checkTarget(edit, sent);
  checkPreconditions(edit, sent.body);
  const warnings = [...sent.warnings, ...unstored(sent.body, live)];
  const existing = rollout && (await readVersion(context.client, address, rollout, version));
  if (rollout !== undefined && existing !== undefined) {
    if (!hasContentOf(existing.body, sent.body))
      throw await nameUsed(context.client, address, rollout, version);
    const current = await readCurrentVersion(context.client, address, rollout, request.signal);
    const state = stateOf(rollout, current?.name === version, existing.version);
    return respond(edit, live, { code: 200, content: existing.body, state, warnings });
  }
  const added = await addVersion(context, address, sent.body, version, parameters.dryRun, release);
  const told = [...warnings, ...(await leftOutKeys(context, edit, sent.body)), ...added.notices];
  return respond(edit, live, { code: 201, content: added.object, state: added.state, warnings: told });
}

/** Creates a locked config by server-side apply, as a POST does. */
export async function createByApply(context: WriteContext, write: NamedWrite): Promise<'answered'> {
  const { address, request, body, version } = write;
  const parameters = writeParameters(request.query);
  const sent = checkedConfig(address.kind, body, parameters);
  checkTarget(write, sent);
  const named = { ...sent.body, metadata: { ...sent.body.metadata, name: address.name } };
  const created = await createConfig(context, address, named, version, parameters.dryRun);
  const live = (await readLive(context.client, address)) ?? named;
  const warnings = [...sent.warnings, ...created.notices];
  return respond(write, live, { code: 201, content: created.object, state: created.state, warnings });
}

/** What the write makes of the config. */
function contentOf({ address, body, form, live, version }: NamedEdit): Fields {
  if (form === 'object' || form === 'apply') return body as Fields;
  if (form === 'json-patch') {
    const what = `kubectl patch ${address.kind.toLowerCase()} ${address.name} --namespace ${address.namespace} --type merge --patch '{"metadata": {"version": ${JSON.stringify(version)}}, "data": {…}}'`;
    throw invalid({ kind: configResources[address.kind].plural, name: address.name }, [
      {
        field: 'metadata.version',
        problem: `Forbidden: a JSON patch cannot add a version in release mode Locked: use kubectl apply or kubectl replace with the whole config, or a merge patch: ${what}`,
      },
    ]);
  }
  const patch = body as Fields;
  const manifest = appliedManifest({ patch, live, version });
  return manifest ?? patchedConfig(address.kind, live, patch);
}

/** Name and namespace of the body must be those of the path. */
function checkTarget(
  { address: { kind, namespace, name }, version }: NamedWrite,
  { body }: ReadConfig,
): void {
  postTarget(kind, { namespace, name }, { body, version });
}

function checkPreconditions({ address, live }: NamedEdit, { metadata }: ConfigBody): void {
  const about = { kind: configResources[address.kind].plural, name: address.name };
  for (const field of ['uid', 'resourceVersion'] as const)
    if ((metadata[field] || live.metadata[field]) !== live.metadata[field])
      throw conflict(
        `Operation cannot be fulfilled on ${about.kind} ${JSON.stringify(about.name)}: metadata.${field} of the object in the cluster is another one; read the object again`,
        about,
      );
}

/** Versions carry only Trimtab's labels and annotations. */
function unstored({ metadata }: ConfigBody, live: ConfigBody): string[] {
  const changed = (['labels', 'annotations'] as const).flatMap((field) =>
    Object.entries(metadata[field] ?? {})
      .filter(([key, value]) => live.metadata[field]?.[key] !== value && !ignored.includes(key))
      // The ConfigRollout has the release mode.
      .filter(([key, value]) => key !== annotations.release || value !== 'locked')
      .map(([key]) => key),
  );
  return changed.length === 0
    ? []
    : [
        `labels and annotations of a version are not stored: ${abbreviate(changed).join(', ')}; set them without metadata.version`,
      ];
}

const ignored = ['kubectl.kubernetes.io/last-applied-configuration', annotations.version];

interface Shown {
  code: number;
  content: ConfigBody;
  state: VersionState;
  warnings: readonly string[];
}

/** The config has its own identity in the response: `kubectl apply --prune` keeps the objects that it gets back. */
function respond(
  { address, request, version }: NamedWrite,
  live: ConfigBody,
  { code, content, state, warnings }: Shown,
): Promise<'answered'> {
  const { managedFields: _, ...metadata } = live.metadata as ObjectMeta & { managedFields?: unknown };
  const { data: __, binaryData: ___, ...rest } = live;
  const shown = {
    ...rest,
    apiVersion: 'v1',
    kind: address.kind,
    metadata: {
      ...metadata,
      version,
      annotations: { ...metadata.annotations, [annotations.version]: version, [labels.state]: state },
    },
    ...(content.data !== undefined && { data: content.data }),
    ...(content.binaryData !== undefined && { binaryData: content.binaryData }),
  };
  return answerObject(request, code, shown, { warnings });
}
