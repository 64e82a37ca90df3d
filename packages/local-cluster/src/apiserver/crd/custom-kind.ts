import { createHash } from 'node:crypto';
import { apiVersionOf, type CustomFacts, type Kind } from '../kinds/kind.ts';
import { dnsSubdomain } from '../meta/names.ts';
import type { ApiObject } from '../object.ts';
import { customCodec } from './custom-codec.ts';
import { customValidation } from './custom-validation.ts';
import type { DefinedVersion, Definition, ScalePaths } from './definition.ts';
import { isTrue } from './definition.ts';
import { findAll, parseJsonPath, setAt } from './json-path.ts';
import { printerColumns } from './printer-columns.ts';
import type { StructuralSchema } from './structural-schema.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const anything: StructuralSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** Builds the kind that serves one version of a definition. */
export function customKind(definition: Definition, version: DefinedVersion): Kind {
  const { group, names, scope } = definition.spec;
  const { subresources = {}, selectableFields = [] } = version;
  const schema = version.schema?.openAPIV3Schema ?? anything;
  const type = { group, version: version.name, kind: names.kind };
  const storage = definition.spec.versions?.find((each) => each.storage)?.name ?? version.name;
  const codec = customCodec(type, schema);
  return {
    ...type,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    storageVersionHash: storageHash(`${group}/${storage}/${names.kind}`),
    storagePrefix: `/registry/${group}/${names.plural}/`,
    strategy: {
      nameRule: dnsSubdomain,
      prepareForCreate(object) {
        if (subresources.status !== undefined) delete (object as { status?: unknown }).status;
      },
      ...customValidation(names.kind, schema),
    },
    columns: printerColumns(version.additionalPrinterColumns),
    selectableFields: Object.fromEntries(
      selectableFields.map(({ jsonPath }) => [jsonPath.replace(/^\./, ''), fieldReader(jsonPath)]),
    ),
    hasGeneration: true,
    hasStatus: subresources.status !== undefined,
    hasScale: subresources.scale !== undefined,
    createOnUpdate: false,
    unconditionalUpdate: false,
    orphansByDefault: false,
    returnsDeleted: false,
    typedItems: true,
    custom: {
      spec: definition.spec,
      otherVersions: (definition.spec.versions ?? [])
        .filter(({ name, served }) => served && name !== version.name)
        .map(({ name }) => name),
      shown: codec.shown,
      storedAs: apiVersionOf({ group, version: storage }),
      ...(subresources.scale !== undefined && { scale: scaleFacts(subresources.scale) }),
      openApi: openApiSchema(type, schema),
      ...(isTrue(definition, 'Terminating') && {
        refusesCreate: 'create not allowed while custom resource definition is terminating',
      }),
    },
    codec,
  };
}

function storageHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

function fieldReader(jsonPath: string): (object: ApiObject) => string {
  const path = parseJsonPath(jsonPath) ?? [];
  return (object) => {
    const [found] = findAll(object, path);
    return found === undefined || found === null ? '' : String(found);
  };
}

function scaleFacts(paths: ScalePaths): NonNullable<CustomFacts['scale']> {
  const spec = parseJsonPath(paths.specReplicasPath) ?? [];
  const status = parseJsonPath(paths.statusReplicasPath) ?? [];
  const selector = paths.labelSelectorPath === undefined ? undefined : parseJsonPath(paths.labelSelectorPath);
  return {
    replicas: (object) => Number(findAll(object, spec)[0] ?? 0),
    setReplicas: (object, replicas) => setAt(object, spec, replicas),
    status(object) {
      const found = selector === undefined ? undefined : findAll(object, selector)[0];
      return {
        replicas: Number(findAll(object, status)[0] ?? 0),
        ...(typeof found === 'string' && found !== '' && { selector: found }),
      };
    },
  };
}

const reference = (name: string) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }] });

/** A definition's schema as /openapi/v3 shows it, with the fields that every object has. */
function openApiSchema(
  type: { group: string; version: string; kind: string },
  schema: StructuralSchema,
): object {
  return {
    ...schema,
    type: 'object',
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: reference('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'),
    },
    'x-kubernetes-group-version-kind': [type],
  };
}
