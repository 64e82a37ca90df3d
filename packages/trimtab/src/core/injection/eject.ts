import { injected } from '../../api/injected-pod.ts';
import { annotations, labels } from '../../api/names.ts';
import type { Container, PodSpec, PodTemplate } from '../../api/pod-template.ts';
import { envReferences } from './env-references.ts';
import { type Original, type OriginalContainer, readOriginal, restoreEmpty } from './original.ts';
import { isReservedVolume } from './reserved-names.ts';

/**
 * Returns the pod as it was before the injection. What others have added to the injected pod stays: containers, volumes,
 * environment variables. A pod that is not injected is returned as it is.
 */
export function eject<T extends PodTemplate>(pod: T): { pod: T } | { problems: string[] } {
  const original = readOriginal(pod);
  if (original === undefined) return { pod };
  if ('problem' in original) return { problems: [original.problem] };
  const copy = structuredClone(pod);
  const { spec } = copy;
  if (spec !== undefined) {
    restoreSpec(spec, original);
    for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])])
      restoreContainer(
        container,
        original.containers.find(({ name }) => name === container.name),
      );
  }
  restoreMetadata(copy, original);
  return { pod: copy };
}

function restoreSpec(spec: PodSpec, original: Original): void {
  spec.initContainers = (spec.initContainers ?? []).filter(({ name }) => name !== injected.container);
  restoreEmpty(spec, 'initContainers', original.empty.initContainers);
  spec.volumes = (spec.volumes ?? [])
    .filter(({ name }) => !isReservedVolume(name))
    .map((volume) => original.volumes.find(({ name }) => name === volume.name) ?? volume);
  restoreEmpty(spec, 'volumes', original.empty.volumes);
  if (original.shareProcessNamespace === 'absent') delete spec.shareProcessNamespace;
  if (original.shareProcessNamespace === 'null') Object.assign(spec, { shareProcessNamespace: null });
}

/** A container that was added after the injection has no record, and at most the mount to remove. */
function restoreContainer(container: Container, original: OriginalContainer | undefined): void {
  if (original === undefined) return;
  for (const { kind, object, names } of original.references) {
    const found = envReferences(container).filter(
      (each) => each.kind === kind && each.source.name === object,
    );
    for (const [index, name] of names.entries()) {
      const source = found[index]?.source;
      if (source !== undefined) source.name = name;
    }
  }
  if (container.env) {
    // The injector has put its variables first, so a later one with the same name belongs to the user.
    const left = new Set(original.env);
    container.env = container.env.filter(({ name }) => !left.delete(name));
    restoreEmpty(container, 'env', original.empty.env);
  }
  for (const mount of container.volumeMounts ?? []) {
    const writable = original.writable.find(({ path }) => path === mount.mountPath);
    if (writable?.readOnly === 'absent') delete mount.readOnly;
    else if (writable !== undefined) Object.assign(mount, { readOnly: writable.readOnly });
  }
  if (container.volumeMounts) {
    container.volumeMounts = container.volumeMounts.filter(({ name }) => name !== injected.volumes.public);
    restoreEmpty(container, 'volumeMounts', original.empty.volumeMounts);
  }
}

function restoreMetadata(pod: PodTemplate, { empty, injectedLabel, workloadAnnotation }: Original): void {
  const { metadata } = pod;
  if (!metadata) return;
  restoreKey(metadata.labels, labels.injected, injectedLabel);
  restoreKey(metadata.annotations, annotations.workload, workloadAnnotation);
  restoreEmpty(metadata, 'labels', empty.labels);
  restoreEmpty(metadata, 'annotations', empty.annotations);
  restoreEmpty(pod, 'metadata', empty.metadata);
}

function restoreKey(map: Record<string, string> | undefined, key: string, was: string | undefined): void {
  if (!map) return;
  if (was === undefined) delete map[key];
  else map[key] = was;
}
