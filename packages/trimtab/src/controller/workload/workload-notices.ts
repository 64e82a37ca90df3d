import { annotations as names } from '../../api/names.ts';
import type { Reason } from '../../api/reasons/reasons.ts';
import { type ConfigKey, readConfigKey } from '../../core/references/config-key.ts';
import { deliveryMode } from '../../core/reload/delivery-mode.ts';
import type { Adoption } from '../../core/workload/adoption.ts';
import { hashedRenames } from '../../core/workload/kustomize-names.ts';
import {
  type ConfigId,
  parseManage,
  parseReferences,
  parseRestart,
  parseWave,
} from '../../core/workload/opt-in.ts';
import { parsePin } from '../../core/workload/pin.ts';
import type { Workload } from '../../core/workload/reduce-workload.ts';
import type { ControllerContext } from '../context.ts';
import { workloadSubject } from './workload-subject.ts';

export interface Notice {
  reason: Reason;
  message: string;
}

const recycled: Notice = {
  reason: 'ReloadNotAvailable',
  message:
    'Annotation trimtab.dev/restart: "false" requests a reload, and the pods have no agent that reloads; they are replaced to get a new version',
};

/**
 * Returns what the author of a workload should know. `references` are the configs that its template references, `before`
 * those that were managed for it.
 */
export function workloadNotices(
  { annotations, templateAnnotations }: Pick<Workload, 'annotations' | 'templateAnnotations'>,
  references: readonly ConfigId[],
  before: ReadonlySet<ConfigKey>,
  { managed, obstacles }: Pick<Adoption, 'managed' | 'obstacles'>,
  reloads: boolean,
): Notice[] {
  const invalid = [parseManage, parseReferences, parseRestart, parseWave, parsePin].flatMap(
    (parse): Notice[] => {
      const parsed = parse(annotations);
      return 'problem' in parsed ? [{ reason: 'InvalidAnnotation', message: parsed.problem }] : [];
    },
  );
  const renames = hashedRenames([...before].map(readConfigKey), [...managed].map(readConfigKey));
  return [
    ...invalid,
    ...unreferenced(annotations, references),
    ...obstacles.map((obstacle): Notice => {
      return { reason: 'OptOutWaits', message: `Opting out waits: ${obstacle}` };
    }),
    ...(!reloads && managed.size > 0 && deliveryMode(annotations, templateAnnotations) === 'reload'
      ? [recycled]
      : []),
    ...renames.map(({ kind, from, to }): Notice => {
      const message = `${kind} ${to} replaces ${kind} ${from}: with kustomize's hashed names each change is a new config, which is not judged and not rolled back. Set disableNameSuffixHash: true for this config, or leave the config unmanaged`;
      return { reason: 'HashedConfigName', message };
    }),
  ];
}

/** A list may name a config that the template does not reference yet, or have a typo. */
function unreferenced(annotations: Workload['annotations'], references: readonly ConfigId[]): Notice[] {
  const manage = parseManage(annotations);
  if (!('value' in manage) || manage.value.mode !== 'some') return [];
  const missing = manage.value.configs.filter(
    ({ kind, name }) => !references.some((each) => each.kind === kind && each.name === name),
  );
  if (missing.length === 0) return [];
  const missed = missing.map(({ kind, name }) => `${kind} ${name}`).join(', ');
  const message = `Annotation ${names.manage} names ${missed}, which the pod template does not reference`;
  return [{ reason: 'InvalidAnnotation', message }];
}

/** Records each notice as an Event once, however often the workload is reconciled while the notice holds. */
export class ToldNotices {
  /** By the key of the workload. */
  readonly #told = new Map<string, ReadonlySet<string>>();

  tell(
    { recordEvent }: Pick<ControllerContext, 'recordEvent'>,
    key: string,
    workload: Workload,
    notices: readonly Notice[],
  ): void {
    const told = this.#told.get(key);
    for (const notice of notices)
      if (!told?.has(textOf(workload, notice)))
        recordEvent(workloadSubject(workload), 'Warning', notice.reason, notice.message);
    if (notices.length > 0) this.#told.set(key, new Set(notices.map((each) => textOf(workload, each))));
    else this.#told.delete(key);
  }

  /** Whether exactly these notices were told last. */
  hasTold(key: string, workload: Workload, notices: readonly Notice[]): boolean {
    const told = this.#told.get(key) ?? new Set();
    const texts = new Set(notices.map((notice) => textOf(workload, notice)));
    return texts.size === told.size && [...texts].every((text) => told.has(text));
  }

  forget(key: string): void {
    this.#told.delete(key);
  }
}

function textOf({ uid }: Pick<Workload, 'uid'>, { reason, message }: Notice): string {
  return `${uid} ${reason} ${message}`;
}
