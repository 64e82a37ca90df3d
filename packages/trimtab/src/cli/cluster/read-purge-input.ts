import type { KubeClient } from '@trimtab/kube/client.ts';
import {
  controllerRevisions,
  daemonSets,
  deployments,
  type Resource,
  replicaSets,
  statefulSets,
} from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { podTemplateOf } from '../../core/injection/pod-template-of.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { findReferences } from '../../core/references/references.ts';
import { assignedObjects } from '../../core/reload/assigned-versions.ts';
import type { VersionMetadata } from '../../core/version/version-metadata.ts';
import { noConfig } from '../../versions/not-found.ts';
import { listVersionBodies, readLive, readRollout, versionsOf } from '../../versions/read-config.ts';
import { listPermitted } from '../../versions/reads/list-permitted.ts';
import { listPods } from '../../versions/reads/list-pods.ts';
import type { PodObject } from '../../view/pod-use.ts';
import type { PurgeInput, VersionUsers } from '../../view/purge-plan.ts';
import { CommandFailure } from '../failure.ts';
import { typedName } from '../object-argument.ts';

interface ReadInput extends Omit<PurgeInput, 'key' | 'version'> {
  /** Resources that the caller may not list. */
  hidden: string[];
}

/** Kinds that keep a version in use, beside pods. */
const using: readonly Resource[] = [deployments, statefulSets, daemonSets, replicaSets, controllerRevisions];

/** Reads all versions of a config with their content, and what uses them. */
export async function readPurgeInput(client: KubeClient, address: ConfigAddress): Promise<ReadInput> {
  const { namespace, kind, name } = address;
  const [rollout, live, listed, pods, ...lists] = await Promise.all([
    readRollout(client, address),
    readLive(client, address),
    listVersionBodies(client, address),
    listPods<PodObject>(client, namespace),
    ...using.map((resource) => listPermitted(client, resource, { namespace })),
  ]);
  if (rollout === undefined && live === undefined) throw noConfig(address);
  if (rollout === undefined)
    throw new CommandFailure(
      `${kind.toLowerCase()} "${name}" is not managed by Trimtab and has no versions`,
      {
        hint: 'edit it; Kubernetes keeps no old content of it',
      },
    );
  const versions = versionsOf(rollout, listed);
  const hidden = [
    ...(pods === undefined ? ['pods'] : pods.hidden),
    ...using
      .filter((_, index) => lists[index] === undefined)
      .map(({ plural, group }) => `${plural}.${group}`),
  ];
  const objects = lists.flatMap((list) => list ?? []);
  return {
    rollout,
    live,
    versions,
    strays: listed.filter((each) => !versions.includes(each)),
    usersOf:
      pods === undefined || hidden.length > 0 ? undefined : (version) => usersOf(version, objects, pods),
    hidden,
  };
}

function usersOf(
  { kind, object }: VersionMetadata,
  objects: readonly KubeObject[],
  { pods, reported }: NonNullable<Awaited<ReturnType<typeof listPods<PodObject>>>>,
): VersionUsers {
  const names = (each: KubeObject) =>
    referencesOf(each).some((reference) => reference.kind === kind && reference.name === object);
  const runs = ({ metadata }: KubeObject) =>
    reported.get(metadata.uid ?? '')?.runs.some((each) => each.object === object) ?? false;
  const isRevision = (each: KubeObject) => each.kind === 'ReplicaSet' || each.kind === 'ControllerRevision';
  const users = objects.filter(names);
  return {
    pods: pods.filter((pod) => names(pod) || runs(pod)).map(({ metadata }) => metadata.name ?? ''),
    workloads: users.filter((each) => !isRevision(each)).map(typed),
    revisions: users.filter(isRevision).map(typed),
  };
}

/** What the template of an object names, and what a workload is assigned for a reload. */
function referencesOf(object: KubeObject & { data?: { spec?: { template?: PodTemplate } } }) {
  // A ControllerRevision has the pod template in its data.
  const template = object.data?.spec?.template ?? podTemplateOf(object) ?? {};
  return [
    ...findReferences(template),
    ...assignedObjects(object.metadata.annotations?.[annotations.versions]),
  ];
}

function typed({ kind = '', metadata }: KubeObject): string {
  return typedName({ kind, name: metadata.name ?? '' });
}
