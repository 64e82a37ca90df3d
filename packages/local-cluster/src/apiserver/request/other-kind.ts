import { decode } from '../schema/decode.ts';
import { definitions } from '../schema/definitions.ts';
import { DecodeError } from '../schema/scalars.ts';
import { typeNamed } from '../schema/type.ts';

interface TypeMeta {
  kind: string;
  apiVersion: string;
}

/** Returns why an object of another kind is refused. As in Kubernetes, it is first decoded as the named kind. */
export function otherKindProblem({ kind, apiVersion }: TypeMeta, value: unknown, wanted: TypeMeta): string {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const definition = Object.keys(definitions).find((name) =>
    definitions[name]?.['x-kubernetes-group-version-kind']?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
  if (definition === undefined)
    return `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`;
  try {
    decode(value, typeNamed(definition));
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
  return `converting (${version}.${kind}) to (${internalPackage(wanted.apiVersion)}.${wanted.kind}): unknown conversion`;
}

/** Go package of the internal types of a group: `core`, `apps`, `rbac`. */
function internalPackage(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split(/[./]/)[0] ?? '') : 'core';
}
