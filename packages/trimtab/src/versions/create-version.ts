import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import type { ConfigBody } from '../api/config-body.ts';
import type { ConfigRollout } from '../api/config-rollout.ts';
import { annotations, labels } from '../api/names.ts';
import { type VersionWriter, writing } from './version-writer.ts';

/**
 * `created`: by this call. `exists`: the same version with the same content, which an interrupted or concurrent call
 * has created. `other version`: the name belongs to other content. `other object`: the object is not a version of this
 * rollout. `gone`: the object was deleted meanwhile.
 */
export type Creation =
  | { result: 'created' | 'exists'; object: ConfigBody }
  | { result: 'other version' | 'other object' | 'gone' };

/**
 * Creates the object of a version. The object is also the reservation of its name: of two writers that choose the same
 * name, the second one gets AlreadyExists.
 */
export async function createVersion(
  writer: VersionWriter,
  rollout: ConfigRollout,
  object: ConfigBody,
): Promise<Creation> {
  const { client } = writer;
  const { kind } = rollout.spec.config;
  try {
    const created = await client.create<ConfigBody>(configResources[kind], object, writing(writer));
    return { result: 'created', object: created };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const { namespace = '', name = '' } = object.metadata;
  const reading = writer.signal === undefined ? {} : { signal: writer.signal };
  const found = await getIfExists<ConfigBody>(client, configResources[kind], { namespace, name }, reading);
  if (found === undefined) return { result: 'gone' };
  if (found.metadata.labels?.[labels.versionOf] !== rollout.metadata.uid) return { result: 'other object' };
  const same = [annotations.version, annotations.contentHash].every(
    (key) => found.metadata.annotations?.[key] === object.metadata.annotations?.[key],
  );
  return same ? { result: 'exists', object: found } : { result: 'other version' };
}
