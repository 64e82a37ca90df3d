import type { CallNeeds } from '../../core/installation/caller-needs.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';

/**
 * A route of the gateway. The list of routes defines what the gateway serves itself and what the OpenAPI document
 * contains; all other requests are proxied to the API server.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/namespaces/{namespace}/{plural}/{name}/current`. A name in braces matches one decoded segment. */
  path: string;
  /** For the OpenAPI document. */
  document: RouteDocument;
  /**
   * Of expensive requests, a caller may have a few in progress: all requests to an `expensive` route, or those with
   * `dryRun` or `purge`. Their handlers wait for a turn before they compute.
   */
  cost?: 'expensive' | 'expensive-dry-run' | 'expensive-purge';
  /** Whether a GET with this query has no time limit and counts as a stream. */
  isStream?(query: URLSearchParams): boolean;
  /** Whether pods may call the route with their tokens. All other routes refuse them before a body is read. */
  servesPods?: true;
  /** For a route that may pass a request on: one without credentials is passed unread, and the API server refuses it. */
  withoutCredentials?: 'pass';
  /** Writes the response, or throws a Refusal or an error of the Kubernetes client. */
  handle(request: GatewayRequest): Promise<Handled>;
}

/** `pass` is the body of a request that is proxied after all, or `unread`. */
export type Handled = 'answered' | { pass: Buffer | 'unread' };

export interface RouteDocument {
  operationId: string;
  summary: string;
  /** What the caller needs; undefined for a route that needs no rights of a person. */
  rights?: CallNeeds;
  /** Whether requests need no credentials. Defaults to false. */
  isPublic?: boolean;
  query?: Record<string, { description: string; schema: JsonSchema }>;
  /** `contentTypes` defaults to JSON and YAML. */
  body?: { description: string; schema: JsonSchema; optional?: boolean; contentTypes?: readonly string[] };
  /** `contentTypes` defaults to JSON and YAML. The errors of all routes are left out. */
  answers: Record<number, { description: string; schema?: JsonSchema; contentTypes?: readonly string[] }>;
}

/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;
