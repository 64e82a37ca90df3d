import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeClient } from '@trimtab/kube/client.ts';

/** Who asks. Nobody gets more rights here than the cluster gives them: see DESIGN §6. */
export type Caller = Person | PodCaller;

export interface Person {
  is: 'person';
  /** Asks the cluster as this person; RBAC decides, and the audit log names them. */
  client: KubeClient;
  /** As the cluster calls them; asked of the cluster itself, once, and only when needed. */
  username(): Promise<string>;
  /** This request has changed something, or may have. */
  mayHaveWritten(): boolean;
}

export interface PodCaller {
  is: 'pod';
  namespace: string;
  name: string;
  uid: string;
}

/** One request to a route of ours, as far as it has been understood. */
export interface GatewayRequest<Parameters = Record<string, string>> {
  /** The parts of the path that the route names, decoded. */
  parameters: Parameters;
  query: URLSearchParams;
  caller: Caller;
  /**
   * Aborts when the client is gone; for a watch also when the gateway stops, with a StatusError. Thrown on, that is
   * answered; a stream that has begun is ended as one whose time is up.
   */
  signal: AbortSignal;
  incoming: IncomingMessage;
  response: ServerResponse;
}
