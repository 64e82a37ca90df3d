import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations, labels } from '../../api/names.ts';
import { unmanagedVersionName } from '../../core/version/unmanaged-version.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';

/** A version in a response: the config itself, with the version in its metadata. */
export interface VersionedConfig extends ConfigBody {
  metadata: ObjectMeta & { version: string };
}

/** Shows a version under the config's name. An annotation holds the name of the version's object. */
export function presentVersion(
  { config, name, object, state }: VersionMetadata,
  body: ConfigBody,
): VersionedConfig {
  const { uid, namespace, resourceVersion, creationTimestamp } = body.metadata;
  const own = body.metadata.annotations ?? {};
  const shown = [annotations.contentHash, annotations.sequence, annotations.createdBy, annotations.rejected];
  return {
    apiVersion: 'v1',
    kind: body.kind ?? '',
    metadata: {
      name: config,
      ...definedOnly({ namespace, uid, resourceVersion, creationTimestamp }),
      version: name,
      annotations: {
        ...Object.fromEntries(shown.flatMap((key) => (own[key] === undefined ? [] : [[key, own[key]]]))),
        [annotations.object]: object,
        [labels.state]: state ?? 'not-current',
      },
    },
    ...(body.kind === 'Secret' && { type: own[annotations.originalType] ?? 'Opaque' }),
    immutable: true,
    ...(body.data !== undefined && { data: body.data }),
    ...(body.binaryData !== undefined && { binaryData: body.binaryData }),
  };
}

/** The only version of an unmanaged config is its content. Nothing is written for it. */
export function presentUnmanaged(live: ConfigBody, version = unmanagedVersionName(live)): VersionedConfig {
  const { managedFields: _, ...metadata } = live.metadata as ObjectMeta & { managedFields?: unknown };
  const state = { [labels.state]: 'current' };
  return {
    ...live,
    metadata: {
      ...metadata,
      version,
      annotations: { ...metadata.annotations, ...state },
    },
  };
}

function definedOnly<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}
