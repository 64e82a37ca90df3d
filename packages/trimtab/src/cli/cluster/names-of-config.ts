import type { KubeClient } from '@trimtab/kube/client.ts';
import { configResources } from '@trimtab/kube/resource.ts';
import { isForbidden } from '@trimtab/kube/transport/errors.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import type { ConfigAddress } from '../../core/references/config-address.ts';
import { findReferences } from '../../core/references/references.ts';
import { mayBeVersionOf } from '../../core/version/object-names.ts';
import { listConfigVersions } from '../../versions/read-config.ts';

/**
 * The names under which a pod template may reference a config: its own, and those of its versions, which Trimtab writes
 * into the template of a managed workload. A name alone does not show a version: `foo-production` may be another config.
 */
export async function namesOfConfig(
  client: KubeClient,
  address: ConfigAddress,
  template: PodTemplate,
  warn: (text: string) => void,
): Promise<ReadonlySet<string>> {
  const { kind, namespace, name } = address;
  const mayBe = findReferences(template).some(
    (each) => each.kind === kind && mayBeVersionOf(name, each.name),
  );
  if (!mayBe) return new Set([name]);
  try {
    const versions = await listConfigVersions(client, address);
    return new Set([name, ...versions.map(({ version }) => version.object)]);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    warn(
      `you may not list ${configResources[kind].plural} in namespace ${namespace}, so versions of ${name} are not recognised in the pod template`,
    );
    return new Set([name]);
  }
}
