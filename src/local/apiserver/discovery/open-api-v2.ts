import type { Page } from './discovery.ts';

const protobuf = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/**
 * The older form of /openapi/v3. kubectl asks for it before it sends a List, and checks nothing where it finds
 * nothing: an empty document leaves the checks to the server, which does them anyway.
 */
export function openApiV2Page(accept = ''): Page {
  if (accept.includes('proto-openapi.spec.v2')) return { body: '', contentType: protobuf };
  return { body: { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.36.3' }, paths: {} } };
}
