import type { KubeObject } from '@trimtab/kube/wire.ts';
import type { IntOrString } from './pod.ts';

/** Services and their endpoints as controllers and the proxy read them. */

export interface ServicePort {
  name?: string;
  protocol?: string;
  port: number;
  targetPort?: IntOrString;
  nodePort?: number;
  appProtocol?: string;
}

interface IngressPort {
  port: number;
  protocol: string;
  error?: string;
}

export interface Ingress {
  ip?: string;
  hostname?: string;
  ipMode?: string;
  ports?: IngressPort[];
}

export interface Service extends KubeObject {
  spec: {
    type?: string;
    selector?: Record<string, string>;
    ports?: ServicePort[];
    clusterIP?: string;
    ipFamilies?: string[];
    publishNotReadyAddresses?: boolean;
    loadBalancerClass?: string;
    sessionAffinity?: string;
  };
  status?: { loadBalancer?: { ingress?: Ingress[] } };
}

export interface EndpointPort {
  name?: string;
  protocol?: string;
  port?: number;
  appProtocol?: string;
}

export interface Endpoint {
  addresses: string[];
  conditions?: { ready?: boolean; serving?: boolean; terminating?: boolean };
  hostname?: string;
  nodeName?: string;
  zone?: string;
  targetRef?: { kind: string; namespace?: string; name: string; uid?: string };
}

export interface EndpointSlice extends KubeObject {
  addressType: string;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
}
