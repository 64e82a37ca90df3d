import { annotations as names } from '../../api/names.ts';
import { parseRestart } from '../workload/opt-in.ts';

type Annotations = Readonly<Record<string, string>>;

/** How pods of a workload get a version: new pods, or the agent without a restart. */
export type DeliveryMode = 'recycle' | 'reload';

/** The annotations that pods need. Users set them on the workload or on its pod template. */
const podAnnotations = [names.restart, names.configPort, names.reload, names.verify, names.tokenEnv] as const;

/** An annotation that the author of the template wrote takes precedence over one on the workload. */
export function deliveryMode(workload: Annotations, template: Annotations): DeliveryMode {
  const restart = wanted(workload, template).get(names.restart);
  const parsed = parseRestart(restart === undefined ? {} : { [names.restart]: restart });
  return 'value' in parsed ? parsed.value : 'recycle';
}

/**
 * Returns the annotations to set on the pod template, and to remove where the value is undefined. With `reload` the
 * annotations of the workload are copied, because admission of a pod sees only the pod. `trimtab.dev/copied` lists the
 * copies, so that they are removed when the workload no longer has them.
 */
export function templateAnnotations(
  workload: Annotations,
  template: Annotations,
  mode: DeliveryMode,
): Map<string, string | undefined> {
  const own = ownAnnotations(template);
  const copied = podAnnotations.filter((name) => mode === 'reload' && !own.has(name) && name in workload);
  const target = new Map<string, string | undefined>([
    ...podAnnotations.map((name): [string, string | undefined] => [
      name,
      own.get(name) ?? (copied.includes(name) ? workload[name] : undefined),
    ]),
    [names.copied, copied.length === 0 ? undefined : copied.map(shortName).join(',')],
  ]);
  return new Map([...target].filter(([name, value]) => template[name] !== value));
}

function wanted(workload: Annotations, template: Annotations): Map<string, string> {
  const own = ownAnnotations(template);
  const found = podAnnotations.map((name): [string, string | undefined] => [
    name,
    own.get(name) ?? workload[name],
  ]);
  return new Map(found.filter((each): each is [string, string] => each[1] !== undefined));
}

/** The annotations that the author of the template wrote. */
function ownAnnotations(template: Annotations): Map<string, string> {
  const copied = new Set((template[names.copied] ?? '').split(','));
  return new Map(
    podAnnotations.flatMap((name): [string, string][] => {
      const value = template[name];
      return value === undefined || copied.has(shortName(name)) ? [] : [[name, value]];
    }),
  );
}

/** `restart` for `trimtab.dev/restart`. */
function shortName(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}
