import type { ConfigKind } from '../references/references.ts';
import type { Management } from './opt-in.ts';

type Annotations = Record<string, string> | undefined;

const prefix = 'reloader.stakater.com';

/**
 * Translates Reloader's annotations of a workload into an opt-in: `auto` for all configs or those of one kind,
 * `reload` for a list, `search` for configs with `match`. `references` are the configs that the template references.
 */
export function reloaderManagement(
  workload: Annotations,
  references: readonly { kind: ConfigKind; name: string }[],
  configAnnotations: (kind: ConfigKind, name: string) => Annotations,
): Management {
  const says = (key: string) => workload?.[key]?.trim();
  if (says(`${prefix}/auto`) === 'false') return { mode: 'unsaid' };
  const wants = ({ kind, name }: { kind: ConfigKind; name: string }) => {
    const own = kind.toLowerCase();
    const config = configAnnotations(kind, name);
    if (config?.[`${prefix}/ignore`]?.trim() === 'true') return false;
    if (list(says(`${own}s.exclude.${prefix}/reload`)).includes(name)) return false;
    if (says(`${prefix}/auto`) === 'true' || says(`${own}.${prefix}/auto`) === 'true') return true;
    if (list(says(`${own}.${prefix}/reload`)).includes(name)) return true;
    return says(`${prefix}/search`) === 'true' && config?.[`${prefix}/match`]?.trim() === 'true';
  };
  const configs = references.filter(wants).map(({ kind, name }) => ({ kind, name }));
  return configs.length === 0 ? { mode: 'unsaid' } : { mode: 'some', configs };
}

function list(text: string | undefined): string[] {
  return (text ?? '').split(',').map((name) => name.trim());
}
