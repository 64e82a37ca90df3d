import type { GatewayRequest } from '../request/gateway-request.ts';

/**
 * A route of our own. The list of them is what is served, what is documented (OpenAPI is made of it), and the
 * only thing that keeps a request from being passed through.
 */
export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/namespaces/{namespace}/{plural}/{name}/current`: a part in braces is one decoded segment. */
  path: string;
  /** For OpenAPI. */
  document: RouteDocument;
  /** Writes the answer, or throws a StatusError or what the client of the cluster throws. */
  handle(request: GatewayRequest): Promise<Handled>;
}

/** `pass`: it looked like ours and is not (a POST without `metadata.version`); it goes upstream as it came. */
export type Handled = 'answered' | { pass: Buffer };

export interface RouteDocument {
  operationId: string;
  summary: string;
  query?: Record<string, { description: string; schema: JsonSchema }>;
  body?: { description: string; schema: JsonSchema; optional?: boolean };
  /** JSON unless `contentTypes` says more. */
  answers: Record<number, { description: string; schema?: JsonSchema; contentTypes?: readonly string[] }>;
}

/** JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, unknown>>;
