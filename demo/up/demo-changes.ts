import type { KubeClient } from '@trimtab/kube/client.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { ConfigRollout } from 'trimtab/api/config-rollout.ts';
import { configRollouts } from 'trimtab/api/config-rollout.ts';
import { annotations, labels } from 'trimtab/api/names.ts';
import { nextColour } from '../app/demo-config.ts';
import { demoConfig, demoNamespace, demoRollout } from '../app/demo-manifests.ts';

interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

const config = { namespace: demoNamespace, name: demoConfig };
const rollout = { namespace: demoNamespace, name: demoRollout };
/** The field manager of the keys, which sets their changes apart from those of kubectl in the history. */
const fieldManager = 'keys';

/** The actions of the keys. Each returns the line to print. */
export function demoChanges(client: KubeClient): Record<'g' | 'b' | 'u', () => Promise<string>> {
  const paint = async (colour: string) => {
    await client.patch(configMaps, config, { type: 'merge', body: { data: { colour } } }, { fieldManager });
    return `colour: ${colour}`;
  };
  return {
    g: async () => paint(nextColour((await client.get<ConfigMap>(configMaps, config)).data?.['colour'])),
    b: () => paint('blurple'),
    u: async () => {
      const found = await client.get<ConfigRollout>(configRollouts, rollout);
      const labelSelector = `${labels.versionOf}=${found.metadata.uid}`;
      const { items } = await client.list(configMaps, { namespace: demoNamespace, labelSelector });
      const version = previousVersion(found, items);
      if (version === undefined) return 'no earlier version to go back to: press g first';
      const body = { spec: { version } };
      await client.patch(configRollouts, rollout, { type: 'merge', body }, { fieldManager });
      return `requested version ${version}`;
    },
  };
}

/**
 * Returns the version that was current before the current one, according to the history. When the history is too short,
 * returns the newest earlier version that was not rejected.
 */
export function previousVersion(
  { status }: Pick<ConfigRollout, 'status'>,
  versions: readonly KubeObject[],
): string | undefined {
  const current = status?.current?.version;
  const good = (status?.history ?? []).filter(({ result }) => result === 'Current');
  const since = good.findIndex(({ version }) => version === current);
  const before = good.slice(since + 1).find(({ version }) => version !== current);
  if (before !== undefined) return before.version;
  const marks = versions
    .filter(({ metadata }) => metadata.labels?.[labels.state] !== 'rejected')
    .map(({ metadata }) => ({
      name: metadata.annotations?.[annotations.version],
      sequence: Number(metadata.annotations?.[annotations.sequence]),
    }));
  const now = marks.find(({ name }) => name === current)?.sequence ?? 0;
  return marks.filter(({ sequence }) => sequence < now).sort((a, b) => b.sequence - a.sequence)[0]?.name;
}
