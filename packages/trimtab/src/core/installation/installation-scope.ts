import { systemNamespace } from '../../api/names.ts';

/** What an installation manages, and where it runs. */
export interface InstallationScope {
  /** The only namespaces to manage; optional, defaults to all namespaces. */
  namespaces?: readonly string[];
  /** The namespace of controller and gateway; optional, defaults to `trimtab-system`. */
  homeNamespace?: string;
}

/**
 * Distinguishes the cluster-scoped objects of several installations. Those for one namespace each may share a home namespace;
 * others have one of their own, so that a list of namespaces can change without a change of names.
 */
export function installationSuffix({
  namespaces,
  homeNamespace = systemNamespace,
}: InstallationScope): string {
  if (namespaces?.length === 1) return `-${namespaces[0]}`;
  return homeNamespace === systemNamespace ? '' : `-${homeNamespace}`;
}
