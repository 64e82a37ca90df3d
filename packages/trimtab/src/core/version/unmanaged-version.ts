import type { ObjectMeta } from '@trimtab/kube/wire.ts';
import { annotations } from '../../api/names.ts';
import { firstVersionName, versionNameProblem } from './version-name.ts';

/**
 * The content of an unmanaged config is its only version. Its name is the one that it gets when the config is managed:
 * that of the annotation `trimtab.dev/version`, else 1.0.0.
 */
export function unmanagedVersionName(live: { metadata: ObjectMeta }): string {
  return validChosenName(live) ?? firstVersionName;
}

/** The name in the annotation of the config. An invalid name does not stop a request for another version. */
export function validChosenName({ metadata }: { metadata: ObjectMeta }): string | undefined {
  const chosen = metadata.annotations?.[annotations.version];
  return chosen !== undefined && versionNameProblem(chosen) === undefined ? chosen : undefined;
}
