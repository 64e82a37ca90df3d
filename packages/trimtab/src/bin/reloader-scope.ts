import type { ReloaderScope } from '../controller/cache/cluster-cache.ts';
import { parseLabelSelector } from '../core/from-reloader/label-selector.ts';
import { quoted } from '../core/messages/quoted.ts';

/** The flags that limit where annotations of Reloader opt in. */
interface ReloaderFlags {
  reloaderAnnotations?: boolean | undefined;
  reloaderNamespaceSelector?: string | undefined;
  reloaderResourceLabelSelector?: string | undefined;
}

/** What is wrong with the flags. */
export function reloaderFlagProblems(flags: ReloaderFlags): string[] {
  return Object.entries(selectors(flags)).flatMap(([flag, text]) => {
    if (text === undefined) return [];
    if (flags.reloaderAnnotations !== true) return [`${flag} requires --reloader-annotations`];
    if (parseLabelSelector(text) !== undefined) return [];
    return [
      `${flag} has the value ${quoted(text)}, which is not valid: must be a label selector such as "env=prod,tier in (web,api)"`,
    ];
  });
}

export function reloaderScope(flags: ReloaderFlags): ReloaderScope {
  const [namespaces, configs] = Object.values(selectors(flags)).map((text) => parseLabelSelector(text ?? ''));
  return { ...(namespaces && { namespaces }), ...(configs && { configs }) };
}

function selectors({ reloaderNamespaceSelector, reloaderResourceLabelSelector }: ReloaderFlags) {
  return {
    '--reloader-namespace-selector': reloaderNamespaceSelector,
    '--reloader-resource-label-selector': reloaderResourceLabelSelector,
  };
}
