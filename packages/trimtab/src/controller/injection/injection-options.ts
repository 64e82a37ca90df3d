import { readFile } from 'node:fs/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Injection } from './admit-pod.ts';
import { servesEnvFiles } from './env-files.ts';
import { gatewayAuthority } from './gateway-authority.ts';

/** The flags of the controller that configure the injection of agents. */
export interface InjectionOptions {
  agentImage: string;
  gatewayUrl: string;
  /** File with the certificate authority of the gateway; optional, defaults to what the gateway publishes. */
  gatewayCaFile?: string;
}

export function injectionOf(
  { agentImage, gatewayUrl, gatewayCaFile }: InjectionOptions,
  client: Pick<KubeClient, 'get' | 'raw'>,
  homeNamespace: string,
  clock: Clock,
): Injection {
  const published = gatewayAuthority(client, homeNamespace, clock);
  let envFiles: boolean | undefined;
  return {
    agentImage,
    gatewayUrl,
    gatewayCa: (signal) =>
      gatewayCaFile === undefined ? published(signal) : readFile(gatewayCaFile, { encoding: 'utf8', signal }),
    async envFiles(signal) {
      envFiles ??= await servesEnvFiles(client, signal);
      return envFiles;
    },
  };
}
