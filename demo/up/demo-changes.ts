import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { previousVersion } from 'trimtab/core/version/previous-version.ts';
import { listVersions } from 'trimtab/versions/read-config.ts';
import { nextColour } from '../app/demo-config.ts';
import { demoConfig, demoNamespace, demoRollout } from '../app/demo-manifests.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const config = { namespace: demoNamespace, name: demoConfig };
const rollout = { namespace: demoNamespace, name: demoRollout };
/** The beginning of each line, as in the lines about rollouts. */
const subject = `${demoNamespace} ${demoConfig}`;
/** The field manager of the keys, which sets their changes apart from those of kubectl in the history. */
const fieldManager = 'keys';

/** The actions of the keys. Each returns the line to print. */
export function demoChanges(client: KubeClient): Record<'g' | 'b' | 'u', () => Promise<string>> {
  const paint = async (colour: string) => {
    await client.patch(configMaps, config, { type: 'merge', body: { data: { colour } } }, { fieldManager });
    return `${subject}: colour set to ${colour}`;
  };
  return {
    g: async () => paint(nextColour((await client.get<ConfigMap>(configMaps, config)).data?.['colour'])),
    b: () => paint('blurple'),
    u: async () => {
      const found = await client.get<ConfigRollout>(configRollouts, rollout);
      const versions = await listVersions(client, { kind: 'ConfigMap', ...config }, found);
      const version = previousVersion(found, versions, found.status?.current?.version)?.name;
      if (version === undefined) return `${subject}: no earlier version to go back to: press g first`;
      const body = { spec: { version } };
      await client.patch(configRollouts, rollout, { type: 'merge', body }, { fieldManager });
      return `${subject}: version ${version} requested`;
    },
  };
}
