import type { Container, PodTemplate, Volume } from '../../api/pod-template.ts';
import type { Reference } from '../../core/references/references.ts';

/** How the containers of a pod template read a config. */
export interface Through {
  how: 'env' | 'envFrom' | 'volume' | 'projected';
  /** The ConfigMap or Secret that the pods get: the config itself, or one of its versions. */
  object: string;
  /** The container, for environment variables and mounts; absent for a volume that no container mounts. */
  container?: string;
  /** `env`: the name of the variable. */
  variable?: string;
  /** `volume` and `projected`: where the container mounts it. */
  mountPath?: string;
  /** The container mounts a single path of the volume, which the kubelet never updates. */
  subPath?: string;
  /** Pods start also when the object or the key is missing. */
  optional: boolean;
}

/** How containers read these references of a template. A volume counts once for each mount. */
export function throughOf(template: PodTemplate, references: readonly Reference[]): Through[] {
  return references.flatMap((reference) =>
    reference.via === 'env' ? [ofVariable(template, reference)] : ofVolume(template, reference),
  );
}

function ofVariable(template: PodTemplate, { pointer, name, container, optional }: Reference): Through {
  const common = { object: name, ...(container !== undefined && { container }), optional };
  const [, list = '', at = '', field, index = ''] = pointer.slice(1).split('/');
  if (field === 'envFrom') return { how: 'envFrom', ...common };
  const owner = (template.spec?.[list as 'containers'] ?? [])[Number(at)];
  const variable = owner?.env?.[Number(index)]?.name;
  return { how: 'env', ...common, ...(variable !== undefined && { variable }) };
}

function ofVolume(template: PodTemplate, { pointer, name, optional }: Reference): Through[] {
  const volume = template.spec?.volumes?.[Number(pointer.split('/')[3])];
  const how = pointer.includes('/projected/') ? ('projected' as const) : ('volume' as const);
  const mounts = volume === undefined ? [] : mountsOf(template, volume);
  if (mounts.length === 0) return [{ how, object: name, optional }];
  return mounts.map((mount) => ({ how, object: name, ...mount, optional }));
}

function mountsOf(
  { spec = {} }: PodTemplate,
  volume: Volume,
): { container: string; mountPath: string; subPath?: string }[] {
  const containers: Container[] = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  return containers.flatMap(({ name: container, volumeMounts = [] }) =>
    volumeMounts
      .filter(({ name }) => name === volume.name)
      .map(({ mountPath, subPath }) => ({ container, mountPath, ...(subPath && { subPath }) })),
  );
}

/** `volume /etc/foo`, `env COLOR`, `volume /etc/app.conf by subPath`: without containers, each text once. */
export function throughText(list: readonly Through[]): string {
  const texts = list.map(({ how, variable, mountPath, subPath, container }) => {
    if (how === 'envFrom') return how;
    if (how === 'env') return `env ${variable ?? ''}`.trim();
    if (container === undefined) return `${how}, not mounted`;
    return `${how} ${mountPath}${subPath === undefined ? '' : ' by subPath'}`;
  });
  return [...new Set(texts)].join(', ');
}
