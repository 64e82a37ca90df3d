import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { UnsentAccount } from '../limits/unsent-budget.ts';
import type { BodyFormat } from './content-type.ts';

/** The caller of a request. The gateway grants a caller no more rights than the cluster does. */
export type Caller = Person | PodCaller;

export interface Person {
  is: 'person';
  /** Acts as this person: RBAC authorizes each call, and the audit log names the person. */
  client: KubeClient;
  /** The user name that the API server reports. Throws the API server's refusal of the credentials. */
  username(): Promise<string>;
  /** The user name if this request has already read it. */
  knownUsername(): string | undefined;
  /** Whether this request has changed something, or may have. */
  mayHaveWritten(): boolean;
}

export interface PodCaller {
  is: 'pod';
  namespace: string;
  name: string;
  uid: string;
}

/** One request to a route of the gateway. */
export interface GatewayRequest<Parameters = Record<string, string>> {
  /** The path parameters of the route, decoded. */
  parameters: Parameters;
  query: URLSearchParams;
  caller: Caller;
  /**
   * Aborts when the client disconnects. For a watch it also aborts when the gateway shuts down, with a StatusError: a
   * handler that throws it answers with that Status, and a watch that has started ends as at its timeout.
   */
  signal: AbortSignal;
  incoming: IncomingMessage;
  /**
   * Reads the whole body, of at most `limit` bytes. The memory counts for the caller until the response is over. A body
   * that is expensive to parse waits for a turn: parse it before you wait for anything. `format` defaults to that of the
   * content type.
   */
  readBody(limit?: number, format?: BodyFormat): Promise<Buffer>;
  /** Waits for a turn to use the CPU for long. It is over in the next round of the event loop, so compute at once. */
  turn(): Promise<void>;
  response: ServerResponse;
  /** Counts an API call of the gateway itself that failed after the response has begun. Those of a person count by themselves. */
  failed(code: string): void;
  /** Memory for what the client has not taken yet of the response. */
  unsent: UnsentAccount;
}
