import { notAcceptable, StatusError } from '../errors/status-error.ts';

type Format = 'json' | 'yaml';
type Shape = 'object' | 'table' | 'metadata';
type MetaVersion = 'v1' | 'v1beta1';

export interface Representation {
  format: Format;
  shape: Shape;
  /** Version of meta.k8s.io for tables and metadata. */
  metaVersion: MetaVersion;
  /** Indented for readability. */
  pretty: boolean;
}

const ours = ['application/json', 'application/yaml'];
const protobuf = 'application/vnd.kubernetes.protobuf';
const streams = ['application/json;stream=watch', `${protobuf};stream=watch`];

interface MediaRange {
  type: string;
  parameters: Map<string, string>;
  quality: number;
}

/** Returns the best supported representation of an Accept header. Throws a 406 StatusError when there is none. */
export function negotiate(
  accept: string | undefined,
  query: URLSearchParams,
  { userAgent = '', hasTables = true }: { userAgent?: string | undefined; hasTables?: boolean } = {},
): Representation {
  const pretty = query.has('pretty')
    ? !['false', '0'].includes(query.get('pretty') ?? '')
    : /^(curl|Wget|Mozilla\/5\.0)/.test(userAgent);
  let isKnown = false;
  const wanted = ranges(accept ?? '*/*');
  for (const { type, parameters } of wanted) {
    const format = formatOf(type);
    const shape = shapeOf(parameters);
    const metaVersion = parameters.get('v') === 'v1beta1' ? 'v1beta1' : 'v1';
    if (format !== undefined && shape !== undefined && (hasTables || shape !== 'table'))
      return { format, shape, metaVersion, pretty };
    isKnown ||= format !== undefined;
  }
  // Kubernetes' message also lists protobuf. It is omitted for clients that request protobuf, as it is not supported.
  const asksProtobuf = wanted.some(({ type }) => type === protobuf);
  if (!isKnown) throw notAcceptable(asksProtobuf ? ours : [...ours, protobuf, ...streams]);
  const message = `only the following media types are accepted: ${(asksProtobuf ? ours : [...ours, protobuf]).join(', ')}`;
  throw new StatusError(406, 'NotAcceptable', message);
}

function ranges(accept: string): MediaRange[] {
  const found = accept
    .split(',')
    .filter((each) => each.trim() !== '')
    .map((each): MediaRange => {
      const [type = '', ...rest] = each.split(';').map((part) => part.trim());
      const parameters = new Map(rest.map((part) => splitOnce(part)));
      return { type: type.toLowerCase(), parameters, quality: Number(parameters.get('q') ?? 1) };
    });
  // Sorting is stable: among equal qualities the first media range wins.
  return found.sort((a, b) => b.quality - a.quality);
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

function formatOf(type: string): Format | undefined {
  switch (type) {
    case '*/*':
    case 'application/*':
    case 'application/json':
      return 'json';
    case 'application/yaml':
      return 'yaml';
    default:
      return undefined;
  }
}

function shapeOf(parameters: Map<string, string>): Shape | undefined {
  const as = parameters.get('as');
  if (as === undefined) return 'object';
  if (parameters.get('g') !== 'meta.k8s.io' || !['v1', 'v1beta1'].includes(parameters.get('v') ?? ''))
    return undefined;
  if (as === 'Table') return 'table';
  return as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList' ? 'metadata' : undefined;
}
