import { createHash } from 'node:crypto';
import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import type { KindRegistry } from '../kinds/kind-registry.ts';
import { definitions, type SchemaNode } from '../schema/definitions.ts';
import type { Page } from './discovery.ts';
import { groupVersions } from './groups.ts';
import { kindPaths } from './open-api-paths.ts';

interface Document {
  text: string;
  hash: string;
}

/** `/openapi/v3`: one document per group version, generated on its first request. */
export class OpenApi {
  readonly #registry: KindRegistry;
  readonly #documents = new Map<string, Document>();

  constructor(registry: KindRegistry) {
    this.#registry = registry;
    registry.onChange(() => this.#documents.clear());
  }

  page(path: string): Page | undefined {
    if (path === '/openapi/v3') return { body: { paths: this.#index() } };
    if (!path.startsWith('/openapi/v3/')) return undefined;
    const document = this.#document(path.slice('/openapi/v3/'.length));
    return (
      document && {
        body: document.text,
        contentType: 'application/json',
        headers: { etag: `"${document.hash}"` },
      }
    );
  }

  #index(): Record<string, { serverRelativeURL: string }> {
    const paths = [...groupVersions(this.#registry).keys()].map(pathOf);
    return Object.fromEntries(
      paths.map((path) => [
        path,
        { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#document(path)?.hash}` },
      ]),
    );
  }

  #document(path: string): Document | undefined {
    const known = this.#documents.get(path);
    if (known !== undefined) return known;
    const kinds = this.#registry.all().filter((kind) => pathOf(apiVersionOf(kind)) === path);
    if (kinds.length === 0) return undefined;
    const text = JSON.stringify(documentOf(kinds));
    const document = { text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
    this.#documents.set(path, document);
    return document;
  }
}

function pathOf(groupVersion: string): string {
  return groupVersion.includes('/') ? `apis/${groupVersion}` : `api/${groupVersion}`;
}

function documentOf(kinds: readonly Kind[]): object {
  const schemas: Record<string, unknown> = {};
  for (const { codec, custom } of kinds) {
    collect(custom === undefined ? codec.definition : objectMeta, schemas);
    if (custom !== undefined) schemas[codec.definition] = custom.openApi;
  }
  for (const name of [...alwaysUsed, ...(kinds.some(({ hasScale }) => hasScale) ? [scale] : [])])
    collect(name, schemas);
  const paths = Object.assign({}, ...kinds.map(kindPaths)) as object;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths,
    components: { schemas },
  };
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const scale = 'io.k8s.api.autoscaling.v1.Scale';
const alwaysUsed = [
  'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Status',
];

/** Collects a definition and everything that it refers to. */
function collect(name: string, into: Record<string, unknown>): void {
  if (Object.hasOwn(into, name)) return;
  const node: SchemaNode | undefined = definitions[name];
  if (node === undefined) return;
  into[name] = node;
  for (const [, found = ''] of JSON.stringify(node).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    collect(found, into);
}
