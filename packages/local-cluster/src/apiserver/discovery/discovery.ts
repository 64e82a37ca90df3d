import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Store } from '../../store/store.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { apiResourceList } from './api-resources.ts';
import { apiGroup, apiGroupList, apiVersions, groupDiscoveryList, groupVersions } from './groups.ts';
import { OpenApi } from './open-api.ts';
import { storePage, storePath } from './store-page.ts';
import { versionInfo } from './version.ts';

export interface Page {
  body: object | string;
  /** Defaults to JSON. */
  contentType?: string;
  headers?: Record<string, string>;
}

/** Pages that are not about objects: discovery, OpenAPI, version and health. */
export class Discovery {
  readonly #registry: KindRegistry;
  readonly #openApi: OpenApi;
  readonly #store: Store;

  constructor(registry: KindRegistry, store: Store) {
    this.#registry = registry;
    this.#store = store;
    this.#openApi = new OpenApi(registry);
  }

  /** Returns undefined when the path is not one of these pages. */
  page(path: string, { headers }: IncomingMessage, query: URLSearchParams): Page | undefined {
    const trimmed = path.length > 1 ? path.replace(/\/$/, '') : path;
    const aggregated = aggregatedVersion(headers.accept);
    switch (trimmed) {
      case '/':
        return { body: { paths: this.#paths() } };
      case '/version':
        return { body: versionInfo };
      case '/openapi/v2':
        return emptyOpenApiV2(headers.accept);
      case storePath:
        return { body: storePage(this.#store, query) };
      case '/healthz':
      case '/livez':
      case '/readyz':
        return healthPage(trimmed, query);
      case '/api':
        if (aggregated !== undefined) return this.#aggregated('core', aggregated);
        return { body: apiVersions(headers.host ?? '') };
      case '/apis':
        if (aggregated !== undefined) return this.#aggregated('others', aggregated);
        return { body: apiGroupList(this.#registry) };
      default:
        return this.#openApi.page(trimmed) ?? this.#group(trimmed);
    }
  }

  #group(path: string): Page | undefined {
    const [, root, ...parts] = path.split('/');
    if (root === 'api' && parts.length === 1) return this.#resources(parts[0] ?? '');
    if (root !== 'apis' || parts.length > 2) return undefined;
    if (parts.length === 2) return this.#resources(parts.join('/'));
    const body = apiGroup(this.#registry, parts[0] ?? '');
    return body && { body };
  }

  #resources(groupVersion: string): Page | undefined {
    const kinds = groupVersions(this.#registry).get(groupVersion);
    return kinds && { body: apiResourceList(groupVersion, kinds) };
  }

  #aggregated(which: 'core' | 'others', version: 'v2' | 'v2beta1'): Page {
    const body = JSON.stringify(groupDiscoveryList(this.#registry, which, version));
    const hash = createHash('sha512').update(body).digest('hex').toUpperCase();
    return {
      body,
      contentType: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`,
      headers: { vary: 'Accept', etag: `"${hash}"` },
    };
  }

  #paths(): string[] {
    const versions = [...groupVersions(this.#registry).keys()];
    const groups = versions.flatMap((each) =>
      each.includes('/') ? [`/apis/${each.split('/')[0]}`, `/apis/${each}`] : ['/api', `/api/${each}`],
    );
    const own = ['/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'];
    return [...new Set([...groups, ...own])].sort();
  }
}

function aggregatedVersion(accept = ''): 'v2' | 'v2beta1' | undefined {
  for (const each of accept.split(',')) {
    if (!each.includes('as=APIGroupDiscoveryList')) continue;
    if (each.includes('v=v2beta1')) return 'v2beta1';
    if (each.includes('v=v2')) return 'v2';
  }
  return undefined;
}

/**
 * OpenAPI v2, which kubectl requests before it applies a List. The document has no kinds, so kubectl leaves
 * validation to the server. In protobuf the document is one field, `swagger: "2.0"`.
 */
function emptyOpenApiV2(accept = ''): Page {
  if (accept.includes('protobuf'))
    return { body: '\n\u00032.0', contentType: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' };
  return {
    body: { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1.36.3' }, paths: {}, definitions: {} },
  };
}

function healthPage(path: string, query: URLSearchParams): Page {
  const contentType = 'text/plain; charset=utf-8';
  if (!query.has('verbose')) return { body: 'ok', contentType };
  return { body: `[+]ping ok\n[+]store ok\n${path.slice(1)} check passed\n`, contentType };
}
