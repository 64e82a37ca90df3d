import { injected } from '../../api/injected-pod.ts';
import { annotations } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import type { InjectOptions } from './inject.ts';
import type { ReloadSettings } from './reload-annotations.ts';

const firstUnprivilegedPort = 1_024;

/** Settings that are valid, and may not have the effect that the user expects. */
export function settingWarnings(
  { spec }: PodTemplate,
  { port, tokenEnv }: ReloadSettings,
  { envFiles, token }: InjectOptions,
): string[] {
  const { podIp, endpoint, token: tokenName, tokenFile } = injected.applicationEnv;
  const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
  const redefining = containers.filter(({ env }) => env?.some(({ name }) => name === podIp));
  return [
    ...(port < firstUnprivilegedPort
      ? [
          `Annotation ${annotations.configPort} is ${port}: container runtimes may refuse ports below ${firstUnprivilegedPort} to the agent, which has no privileges`,
        ]
      : []),
    ...(tokenEnv && !envFiles && token === undefined
      ? [
          `Annotation ${annotations.tokenEnv} has no effect here, so ${tokenName} is not set: read the file in ${tokenFile}, or create the pod in a cluster with Trimtab's webhook`,
        ]
      : []),
    ...redefining.map(
      ({ name }) => `Container "${name}" sets ${podIp}, so ${endpoint} is not set: rename the variable`,
    ),
  ];
}
