import { annotations, labels } from '../../api/names.ts';
import { formatRejections, parseRejections, type RejectedSet } from '../../core/activation/rejection.ts';
import { isNotFound } from '../../kube/transport/errors.ts';
import { type ControllerContext, fieldManager } from '../context.ts';
import type { VersionHead } from '../picture/configs.ts';
import { configResources } from '../picture/picture.ts';

export interface Marks {
  /** The object of the version that is current. */
  current: string | undefined;
  /** The object of the version that an activation makes current. */
  target: string | undefined;
  /** The target has failed, together with these. */
  rejection: { set: RejectedSet; reason: string } | undefined;
}

/** Writes the state of each version on it, the current one first: then there is never none. */
export async function markVersions(
  { client }: ControllerContext,
  versions: readonly VersionHead[],
  marks: Marks,
  signal: AbortSignal,
): Promise<void> {
  const ordered = [...versions].sort(
    (a, b) => Number(b.object === marks.current) - Number(a.object === marks.current),
  );
  for (const version of ordered) {
    const wanted = wantedMarks(version, marks);
    if (version.state === wanted.state && version.rejected === wanted.rejected) continue;
    const body = {
      metadata: {
        uid: version.uid,
        labels: { [labels.state]: wanted.state },
        annotations: { [annotations.rejected]: wanted.rejected ?? null },
      },
    };
    const where = { namespace: version.namespace, name: version.object };
    await client
      .patch(configResources[version.kind], where, { type: 'merge', body }, { fieldManager, signal })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }
}

function wantedMarks(
  version: VersionHead,
  { current, target, rejection }: Marks,
): { state: string; rejected: string | undefined } {
  // What has become current is innocent, whatever it failed with before.
  if (version.object === current) return { state: 'current', rejected: undefined };
  if (version.object === target) {
    if (rejection === undefined) return { state: 'being-current', rejected: version.rejected };
    return { state: 'rejected', rejected: withRejection(version.rejected, rejection) };
  }
  return { state: version.rejected === undefined ? 'not-current' : 'rejected', rejected: version.rejected };
}

const maxRejections = 10;

function withRejection(before: string | undefined, { set, reason }: NonNullable<Marks['rejection']>): string {
  const known = parseRejections(before)?.sets ?? [];
  const same = (other: RejectedSet) => formatRejections([other], '') === formatRejections([set], '');
  return formatRejections([...known.filter((each) => !same(each)), set].slice(-maxRejections), reason);
}
