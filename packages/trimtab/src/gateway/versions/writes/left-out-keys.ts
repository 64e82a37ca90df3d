import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import type { ConfigBody } from '../../../api/config-body.ts';
import { annotations, controllerManager } from '../../../api/names.ts';
import { abbreviate } from '../../../core/messages/abbreviate.ts';
import { quoted } from '../../../core/messages/quoted.ts';
import { readVersion } from '../../../versions/read-config.ts';
import type { WriteContext } from '../../../versions/writes/write-context.ts';
import type { NamedEdit } from './named-write.ts';

/**
 * Warns about keys of the live config that a server-side apply leaves out because another field manager owns them. Of an
 * unlocked config they would stay; a version of a locked config is what this manager applies, and no more.
 */
export async function leftOutKeys(
  { client, fieldManager }: WriteContext,
  { address, form, live, rollout, version }: NamedEdit,
  sent: ConfigBody,
): Promise<string[]> {
  if (form !== 'apply') return [];
  const own = new Set(keysOf(sent));
  const missing = keysOf(live).filter((key) => !own.has(key));
  if (missing.length === 0) return [];
  const owners = ownersOf(live);
  // The controller writes what the managers of the current version have applied.
  const held = live.metadata.annotations?.[annotations.version];
  const isWritten = missing.some((key) => owners.get(key)?.has(controllerManager));
  const found =
    isWritten && rollout !== undefined && held !== undefined
      ? await readVersion(client, address, rollout, held)
      : undefined;
  const writers = ownersOf(found?.body);
  const left = missing.flatMap((key) => {
    const its = owners.get(key) ?? new Set();
    const managers = its.has(controllerManager) ? its.union(writers.get(key) ?? new Set()) : its;
    managers.delete(controllerManager);
    return managers.size === 0 || managers.has(fieldManager) ? [] : [{ key, managers }];
  });
  if (left.length === 0) return [];
  const keys = abbreviate(left.map(({ key }) => key)).join(', ');
  const managers = abbreviate(
    [...new Set(left.flatMap((each) => [...each.managers]))].map((each) => quoted(each)),
  );
  return [
    `version ${quoted(version)} lacks keys of the config that other field managers (${managers.join(', ')}) own: ${keys}; a version of a Locked config has only the keys of its manifest`,
  ];
}

function keysOf({ data, binaryData }: ConfigBody): string[] {
  return [...Object.keys(data ?? {}), ...Object.keys(binaryData ?? {})];
}

interface ManagedFields {
  manager?: string;
  fieldsV1?: Partial<Record<'f:data' | 'f:binaryData', object>>;
}

/** The field managers of each key. */
function ownersOf(object: ConfigBody | undefined): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  const metadata = object?.metadata as (ObjectMeta & { managedFields?: ManagedFields[] }) | undefined;
  for (const { manager = '', fieldsV1 = {} } of metadata?.managedFields ?? [])
    for (const field of ['f:data', 'f:binaryData'] as const)
      for (const owned of Object.keys(fieldsV1[field] ?? {}))
        if (owned.startsWith('f:')) {
          const key = owned.slice('f:'.length);
          owners.set(key, (owners.get(key) ?? new Set()).add(manager));
        }
  return owners;
}
