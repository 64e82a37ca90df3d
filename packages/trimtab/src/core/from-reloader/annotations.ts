import type { ConfigKind } from '../references/references.ts';

const domain = 'reloader.stakater.com';

/** The annotations of Reloader that are not about one kind of config. */
export const reloaderKeys = {
  auto: `${domain}/auto`,
  search: `${domain}/search`,
  /** On a config. */
  match: `${domain}/match`,
  /** On a config. */
  ignore: `${domain}/ignore`,
  rolloutStrategy: `${domain}/rollout-strategy`,
  pausePeriod: `deployment.${domain}/pause-period`,
} as const;

/** The annotations of Reloader that are about one kind of config. */
export function keysFor(kind: ConfigKind): { auto: string; reload: string; exclude: string } {
  const own = kind.toLowerCase();
  return {
    auto: `${own}.${domain}/auto`,
    reload: `${own}.${domain}/reload`,
    exclude: `${own}s.exclude.${domain}/reload`,
  };
}

/** Annotations that Reloader writes itself. They stay on a workload that was migrated. */
const writtenByReloader: ReadonlySet<string> = new Set([
  `${domain}/last-reloaded-from`,
  `deployment.${domain}/paused-at`,
]);

/** Whether a user wrote this annotation for Reloader. */
export function isReloaderAnnotation(key: string): boolean {
  const [prefix = ''] = key.split('/');
  return (prefix === domain || prefix.endsWith(`.${domain}`)) && !writtenByReloader.has(key);
}

/** Whether the annotation is about the secrets of a CSI driver. */
export function isAboutDriverSecrets(key: string): boolean {
  return /^secretproviderclass(es)?\./.test(key);
}

/** The values of annotations that Reloader accepts for true and for false; undefined for any other value. */
export function readBoolean(text: string): boolean | undefined {
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  return ['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text) ? false : undefined;
}

/** The entries of a list that is separated by commas. */
export function entriesOf(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
