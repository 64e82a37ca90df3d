import { type FieldError, invalid, notSupported, required } from '../errors/field-error.ts';
import { dns1035Label } from '../meta/names.ts';
import { equal } from '../object.ts';
import type { DefinedVersion, Definition } from './definition.ts';
import { parseJsonPath } from './json-path.ts';
import { validateSchema } from './validate-schema.ts';

/** Returns the validation errors of a definition, with Kubernetes' messages. */
export function validateDefinition(definition: Definition): FieldError[] {
  const { metadata, spec, status } = definition;
  const { names, group } = spec;
  const versions = spec.versions ?? [];
  const errors: FieldError[] = [];
  if (metadata.name !== `${names.plural}.${group}`)
    errors.push(invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'));
  if (group === '') errors.push(required('spec.group'));
  if (!['Cluster', 'Namespaced'].includes(spec.scope))
    errors.push(
      spec.scope === ''
        ? required('spec.scope')
        : notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced']),
    );
  const top = hoisted(versions);
  if (versions.filter(({ storage }) => storage).length !== 1)
    errors.push(
      invalid(
        'spec.versions',
        versions.map((each) => asGo(each, top)),
        'must have exactly one version marked as storage version',
      ),
    );
  for (const [index, version] of versions.entries()) {
    const path = `spec.versions[${index}]`;
    if (version.schema?.openAPIV3Schema === undefined)
      errors.push(required(`${path}.schema.openAPIV3Schema`));
    if (top && index > 0) continue;
    errors.push(...validateVersion(version, path, top));
  }
  errors.push(...namesErrors(names));
  if ((status?.storedVersions ?? []).length === 0)
    errors.push(invalid('status.storedVersions', null, 'must have at least one stored version'));
  return errors;
}

/** Kubernetes moves settings that all versions share to the top level of the spec; its errors name the path there. */
function hoisted(versions: readonly DefinedVersion[]): boolean {
  const shared = ({ schema, subresources, additionalPrinterColumns }: DefinedVersion) => ({
    schema: schema ?? null,
    subresources: subresources ?? null,
    columns: additionalPrinterColumns ?? null,
  });
  const [first] = versions;
  return first === undefined || versions.every((each) => equal(shared(each), shared(first)));
}

function asGo({ name, served, storage, ...rest }: DefinedVersion, top: boolean): object {
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: rest.deprecated ?? false,
    DeprecationWarning: rest.deprecationWarning ?? null,
    Schema: top ? null : (rest.schema ?? null),
    Subresources: top ? null : (rest.subresources ?? null),
    AdditionalPrinterColumns: top ? null : (rest.additionalPrinterColumns ?? null),
    SelectableFields: rest.selectableFields ?? null,
  };
}

function validateVersion(version: DefinedVersion, path: string, top: boolean): FieldError[] {
  const errors: FieldError[] = [];
  const schema = version.schema?.openAPIV3Schema;
  if (schema !== undefined)
    errors.push(...validateSchema(schema, `${top ? 'spec.validation' : `${path}.schema`}.openAPIV3Schema`));
  const columns = `${top ? 'spec' : path}.additionalPrinterColumns`;
  for (const [index, { name, type, jsonPath = '' }] of (version.additionalPrinterColumns ?? []).entries()) {
    const at = `${columns}[${index}]`;
    if (name === '') errors.push(required(`${at}.name`));
    if (type === '') errors.push(required(`${at}.type`));
    else if (!columnTypes.includes(type))
      errors.push(invalid(`${at}.type`, type, `must be one of ${columnTypes.join(',')}`));
    if (jsonPath === '') errors.push(required(`${at}.JSONPath`));
    else if (parseJsonPath(jsonPath) === undefined)
      errors.push(invalid(`${at}.JSONPath`, jsonPath, 'is an invalid JSONPath'));
  }
  return errors;
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];

function namesErrors({
  plural,
  singular = '',
  kind,
  listKind = '',
  shortNames = [],
}: Definition['spec']['names']): FieldError[] {
  const label = (field: string, value: string) =>
    dns1035Label(value).map((each) => invalid(field, value, each));
  const mixed = (field: string, value: string) =>
    dns1035Label(value.toLowerCase()).map((each) =>
      invalid(field, value, `may have mixed case, but should otherwise match: ${each}`),
    );
  return [
    ...(plural === '' ? [required('spec.names.plural')] : label('spec.names.plural', plural)),
    ...(singular === '' ? [] : label('spec.names.singular', singular)),
    ...(kind === '' ? [required('spec.names.kind')] : mixed('spec.names.kind', kind)),
    ...(listKind === '' ? [] : mixed('spec.names.listKind', listKind)),
    ...shortNames.flatMap((each, index) => label(`spec.names.shortNames[${index}]`, each)),
    ...(kind !== '' && kind === listKind
      ? [invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same')]
      : []),
  ];
}
