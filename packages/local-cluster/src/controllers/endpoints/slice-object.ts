import { services } from '@trimtab/kube/resource.ts';
import type { Endpoint, EndpointPort, EndpointSlice, Service } from '../../objects/service.ts';
import { controllerReference } from '../pods/new-pod.ts';
import type { AddressType } from './pod-endpoint.ts';

export const serviceLabel = 'kubernetes.io/service-name';
export const managerLabel = 'endpointslice.kubernetes.io/managed-by';
export const manager = 'endpointslice-controller.k8s.io';
const headlessLabel = 'service.kubernetes.io/headless';

/** The Service's labels, and the labels that identify the Service and the manager of the slice. */
export function sliceLabels({ metadata, spec }: Service): Record<string, string> {
  const { [headlessLabel]: _, ...own } = metadata.labels ?? {};
  const isHeadless = !spec.clusterIP || spec.clusterIP === 'None';
  return {
    ...own,
    ...(isHeadless && { [headlessLabel]: '' }),
    [managerLabel]: manager,
    [serviceLabel]: metadata.name ?? '',
  };
}

export function newSlice(
  service: Service,
  addressType: AddressType,
  ports: EndpointPort[],
  endpoints: Endpoint[],
): EndpointSlice {
  const { name = '', namespace = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: sliceLabels(service),
      ownerReferences: [controllerReference(services, service)],
    },
    addressType,
    ports,
    endpoints,
  };
}

export function isOwnedBy({ metadata }: EndpointSlice, { metadata: { uid } }: Service): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}
