import type { KubeClient } from '../../../kube/client.ts';
import { services } from '../../../kube/resource.ts';
import { isNotFound } from '../../../kube/transport/errors.ts';
import type { Pod } from '../../objects/pod.ts';
import type { Service } from '../../objects/service.ts';
import { type ApiServerAddress, linkedServices } from './service-variables.ts';

interface ServicesRequest {
  pod: Pod;
  signal: AbortSignal;
  apiServer: ApiServerAddress | undefined;
}

/** The Services that a container is told of by variables, as they are at its start. */
export async function readServices(
  client: KubeClient,
  { pod, signal, apiServer }: ServicesRequest,
): Promise<Service[]> {
  const namespace = pod.metadata.namespace ?? '';
  const links = pod.spec.enableServiceLinks ?? true;
  const [master, own] = await Promise.all([
    client
      .get<Service>(services, { namespace: 'default', name: 'kubernetes' }, { signal })
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      }),
    links ? client.list<Service>(services, { namespace, signal }) : { items: [] },
  ]);
  const found = [...(master === undefined ? [] : [master]), ...own.items];
  return linkedServices(found, { namespace, links, ...(apiServer !== undefined && { apiServer }) });
}
