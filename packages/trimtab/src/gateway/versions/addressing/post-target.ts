import { quoted, shortened } from '../../../core/messages/quoted.ts';
import type { ConfigAddress } from '../../../core/references/config-address.ts';
import type { ConfigKind } from '../../../core/references/references.ts';
import { versionNameProblem } from '../../../core/version/version-name.ts';
import { badRequest, invalid } from '../../../versions/refusal.ts';
import type { SentConfig } from '../../request/config-body.ts';
import { addressOf } from './config-address.ts';

/** The target of a POST: a new config with its first version, or one more version with an optional name. */
export type PostTarget =
  | { does: 'create'; address: ConfigAddress; version: string }
  | { does: 'add'; address: ConfigAddress; version: string | undefined };

interface PostPath {
  namespace: string;
  /** The only segment after `configmaps`: a name or a version; the name in the body decides which. */
  segment?: string;
  name?: string;
  version?: string;
}

export function postTarget(
  kind: ConfigKind,
  path: PostPath,
  { body, version }: Pick<SentConfig, 'body' | 'version'>,
): PostTarget {
  const { name, namespace, generateName } = body.metadata;
  if ((namespace || path.namespace) !== path.namespace)
    throw badRequest(
      `the namespace of the provided object does not match the namespace sent on the request: ${quoted(namespace ?? '')} in the body, ${quoted(path.namespace)} in the path`,
    );
  const named = path.name ?? (isName(path, name) ? path.segment : undefined);
  if (named !== undefined) {
    if (name && name !== named)
      throw badRequest(
        `the name of the object (${shortened(name)}) does not match the name on the URL (${shortened(named)})`,
      );
    const address = addressOf(kind, { namespace: path.namespace, name: named });
    return { does: 'add', address, version: checked(address, agreed(path.version, version)) };
  }
  if (!name) {
    const problem = generateName
      ? 'Required value: generateName is not supported for a config with versions; set a name'
      : 'Required value: set it to the name of the config that this is a version of';
    throw invalid({ kind, name: '' }, [{ field: 'metadata.name', problem }]);
  }
  const address = addressOf(kind, { namespace: path.namespace, name });
  const first = checked(address, agreed(path.segment, version)) ?? '';
  return { does: 'create', address, version: first };
}

/** A single segment is the config's name when the body has no name or the same name. */
function isName({ segment }: PostPath, name: string | undefined): boolean {
  return segment !== undefined && (!name || name === segment);
}

function agreed(inPath: string | undefined, inBody: string | undefined): string | undefined {
  if (inPath !== undefined && inBody !== undefined && inPath !== inBody)
    throw badRequest(
      `the version in the body (${quoted(inBody)}) does not match the version in the path (${quoted(inPath)})`,
    );
  return inPath ?? inBody;
}

function checked({ kind, name }: ConfigAddress, version: string | undefined): string | undefined {
  const problem = version === undefined ? undefined : versionNameProblem(version);
  if (problem === undefined) return version;
  throw invalid({ kind, name }, [
    { field: 'metadata.version', problem: `Invalid value: ${quoted(version)}: ${problem}` },
  ]);
}
