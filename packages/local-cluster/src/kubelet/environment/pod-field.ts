import type { Pod } from '../../objects/pod.ts';
import { ConfigProblem } from '../configs/config-problem.ts';

interface Addresses {
  podIP: string;
  hostIP: string;
}

/** The value of a `fieldRef` for a variable: metadata of the pod, its node and its addresses. */
export function podField(pod: Pod, fieldPath: string, { podIP, hostIP }: Addresses): string {
  const { spec } = pod;
  switch (fieldPath) {
    case 'spec.nodeName':
    case 'spec.host':
      return spec.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec.serviceAccountName ?? '';
    case 'status.hostIP':
    case 'status.hostIPs':
      return hostIP;
    case 'status.podIP':
    case 'status.podIPs':
      return podIP;
    default:
      return metadataField(pod, fieldPath);
  }
}

/** The value of a `fieldRef` for a file. A volume can expose only the pod's metadata. */
export function metadataField({ metadata }: Pod, fieldPath: string): string {
  const [, path, key] = /^(.+?)\['(.*)'\]$/s.exec(fieldPath) ?? [];
  if (path !== undefined && key !== undefined) {
    if (path === 'metadata.annotations') return entry(metadata.annotations, key);
    if (path === 'metadata.labels') return entry(metadata.labels, key);
    throw new ConfigProblem(`fieldPath ${JSON.stringify(fieldPath)} does not support subscript`);
  }
  switch (fieldPath) {
    case 'metadata.annotations':
      return formatMap(metadata.annotations);
    case 'metadata.labels':
      return formatMap(metadata.labels);
    case 'metadata.name':
      return metadata.name ?? '';
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    default:
      throw new ConfigProblem(`unsupported fieldPath: ${fieldPath}`);
  }
}

function entry(map: Record<string, string> | undefined, key: string): string {
  return map !== undefined && Object.hasOwn(map, key) ? (map[key] ?? '') : '';
}

/** One `key="value"` per line, sorted by key, quoted like Go's %q. */
function formatMap(map: Record<string, string> = {}): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${goQuoted(map[key] ?? '')}`)
    .join('\n');
}

const named: Record<string, string> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};

/** Letters, marks, numbers, punctuation, symbols and spaces are printed; all other characters are escaped. */
const unprintable = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function goQuoted(text: string): string {
  const inner = text.replace(unprintable, (char) => {
    const known = named[char];
    if (known !== undefined) return known;
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || code === 0x7f) return `\\x${code.toString(16).padStart(2, '0')}`;
    return code > 0xffff
      ? `\\U${code.toString(16).padStart(8, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
  return `"${inner}"`;
}
