import { isDeepStrictEqual } from 'node:util';
import { sleep } from '@trimtab/kube/clock.ts';
import { apiVersion, cronJobs, jobs, type Resource } from '@trimtab/kube/resource.ts';
import { isForbidden, isNotFound } from '@trimtab/kube/transport/errors.ts';
import { reflect } from '@trimtab/kube/watch/reflect.ts';
import type { ReflectorOptions } from '@trimtab/kube/watch/reflector.ts';
import type { Change } from '@trimtab/kube/watch/store.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { annotations as names } from '../../api/names.ts';
import { isReloaderAnnotation } from '../../core/from-reloader/annotations.ts';
import { type OtherKind, otherKindText } from '../../core/from-reloader/other-kinds.ts';
import type { ControllerContext } from '../context.ts';
import { readsReloader } from './reads-reloader.ts';

const argoRollouts: Resource = {
  group: 'argoproj.io',
  version: 'v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  namespaced: true,
};

const resources: Record<OtherKind, Resource> = { Job: jobs, CronJob: cronJobs, Rollout: argoRollouts };

/** A kind may be installed, or a right granted, while the controller runs. */
const retryMs = 600_000;

/** What is kept of an object. Most have no annotation of Reloader, and share one value. */
interface Annotated {
  uid: string;
  namespace: string;
  name: string;
  /** Those of Reloader, and `trimtab.dev/manage`, which replaces them. */
  annotations: Record<string, string>;
}

const unannotated: Annotated = { uid: '', namespace: '', name: '', annotations: {} };

/**
 * Records an Event on each object of a kind that Reloader updates and Trimtab does not, if it has an annotation of
 * Reloader. Watches the metadata of these objects until `signal` aborts.
 */
export async function reportOtherReloaderKinds(
  context: ControllerContext,
  namespaces: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (!context.reloaderAnnotations) return;
  const kinds = Object.keys(resources) as OtherKind[];
  await Promise.all(kinds.map((kind) => report(context, kind, namespaces, signal)));
}

async function report(
  context: ControllerContext,
  kind: OtherKind,
  namespaces: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { direct, log, clock } = context;
  const resource = resources[kind];
  if (!(await isReadable(context, resource, namespaces, signal))) return;
  const options: Omit<ReflectorOptions<Annotated, never>, 'namespace'> = {
    name: `${kind} metadata`,
    client: direct,
    log,
    clock,
    resource,
    projection: 'metadata',
    transform: annotated,
    isSame: isDeepStrictEqual,
    indexes: {},
  };
  const reflector = reflect<Annotated>(options, namespaces);
  const end = reflector.subscribe((change) => reportChange(context, kind, change));
  await reflector.run(signal);
  end();
}

/** Waits until the kind is served and may be read. Returns whether that is so, and not `signal` aborted. */
async function isReadable(
  { direct, log, clock }: ControllerContext,
  resource: Resource,
  namespaces: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    try {
      const where = namespaces?.map((namespace) => ({ namespace })) ?? [{}];
      for (const each of where)
        await direct.list(resource, { ...each, limit: 1, projection: 'metadata', signal });
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      if (isForbidden(error))
        log.warn(
          { kind: resource.kind },
          'no right to watch this kind: its annotations of Reloader get no Event; apply the output of trimtab manifests with --reloader-annotations',
        );
      else if (!isNotFound(error)) log.warn({ kind: resource.kind, error }, 'list failed');
    }
    await sleep(clock, retryMs, signal).catch(() => {});
  }
  return false;
}

function annotated({ metadata }: KubeObject): Annotated {
  const { uid = '', namespace = '', name = '', annotations = {}, ownerReferences = [] } = metadata;
  // The Job of a CronJob has the annotations of its template; there may be a new one each minute.
  if (ownerReferences.length > 0 || !Object.keys(annotations).some(isReloaderAnnotation)) return unannotated;
  const kept = Object.entries(annotations).filter(
    ([key]) => isReloaderAnnotation(key) || key === names.manage,
  );
  return { uid, namespace, name, annotations: Object.fromEntries(kept) };
}

function reportChange(
  context: ControllerContext,
  kind: OtherKind,
  { before, after }: Change<Annotated>,
): void {
  const text = (object: Annotated | undefined) =>
    object && readsReloader(context, object) ? otherKindText(kind, object) : undefined;
  const message = text(after);
  if (after === undefined || message === undefined) return;
  if (before?.uid === after.uid && text(before) === message) return;
  const { namespace, name, uid } = after;
  const about = { apiVersion: apiVersion(resources[kind]), kind, namespace, name, uid };
  context.recordEvent(about, 'Warning', 'ReloaderAnnotationIgnored', message);
}
