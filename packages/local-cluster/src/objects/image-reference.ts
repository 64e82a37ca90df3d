/** The parts of an image name that Kubernetes uses, or why the name is invalid, in the words of distribution/reference. */
export type ImageReference = { tag?: string; digest?: string } | { problem: string };

const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])`;
const component = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const reference = new RegExp(
  `^${host}(?::[0-9]+)?/(?<path>${component}(?:/${component})*)` +
    String.raw`(?::(?<tag>\w[\w.-]{0,127}))?` +
    '(?:@(?<digest>[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$',
);
const hexDigits: Record<string, number> = { sha256: 64, sha384: 96, sha512: 128 };
const longestPath = 255;
const hub = 'docker.io';

/** Parses a name as the kubelet does: `nginx` is `docker.io/library/nginx`. */
export function parseImageReference(image: string): ImageReference {
  if (/^[a-f0-9]{64}$/.test(image))
    return {
      problem: `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`,
    };
  const { domain, rest } = splitDomain(image);
  const [repository = ''] = rest.split(':');
  if (repository.toLowerCase() !== repository)
    return { problem: `invalid reference format: repository name (${repository}) must be lowercase` };
  const full = `${domain}/${rest}`;
  const found = reference.exec(full)?.groups;
  if (found === undefined)
    return {
      problem: reference.test(full.toLowerCase())
        ? 'repository name must be lowercase'
        : 'invalid reference format',
    };
  const { path = '', tag, digest } = found;
  if (path.length > longestPath)
    return { problem: `repository name must not be more than ${longestPath} characters` };
  const problem = digest === undefined ? undefined : digestProblem(digest);
  if (problem !== undefined) return { problem };
  return { ...(tag !== undefined && { tag }), ...(digest !== undefined && { digest }) };
}

function splitDomain(image: string): { domain: string; rest: string } {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  const isDomain = first === 'localhost' || /[.:]/.test(first) || first.toLowerCase() !== first;
  const domain = !isDomain || first === 'index.docker.io' ? hub : first;
  const rest = isDomain ? image.slice(slash + 1) : image;
  return { domain, rest: domain === hub && !rest.includes('/') ? `library/${rest}` : rest };
}

function digestProblem(digest: string): string | undefined {
  const [algorithm = '', value = ''] = digest.split(':');
  const length = hexDigits[algorithm];
  if (length === undefined) return 'unsupported digest algorithm';
  if (value.length !== length) return 'invalid checksum digest length';
  return value.toLowerCase() === value ? undefined : 'invalid checksum digest format';
}
