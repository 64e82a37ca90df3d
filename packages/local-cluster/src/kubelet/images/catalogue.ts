import type { Container } from '../../objects/pod.ts';

/** What an image stands for on this machine. */
export interface Image {
  /** The program and its first arguments; `command` of a container replaces it. */
  entrypoint: readonly string[];
  /** Arguments that `args` of a container replaces. */
  cmd: readonly string[];
}

export type Catalogue = ReadonlyMap<string, Image>;

const shell: Image = { entrypoint: [], cmd: ['sh'] };

/** Images that every local cluster knows. Whoever starts a cluster adds those of its own programs. */
export function builtInImages(nodeProgram: string): Catalogue {
  return new Map<string, Image>([
    ...['busybox', 'alpine', 'debian', 'ubuntu', 'bash'].map((name): [string, Image] => [name, shell]),
    ['node', { entrypoint: [nodeProgram], cmd: [] }],
  ]);
}

/** `docker.io/library/nginx:1.27@sha256:…` is found as that, without its digest, without its tag, or as `nginx`. */
export function findImage(catalogue: Catalogue, image: string): Image | undefined {
  const withoutDigest = image.replace(/@.*$/, '');
  const withoutTag = withoutDigest.replace(/:[^:/]+$/, '');
  const short = withoutTag.replace(/^(docker\.io\/)?(library\/)?/, '');
  for (const name of [image, withoutDigest, withoutTag, short]) {
    const found = catalogue.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

export type Program =
  | { words: string[]; fromImage: string[]; isImageKnown: boolean }
  | { problem: 'ErrImagePull' | 'CreateContainerError'; message: string };

/**
 * The command line of a container: `fromImage` as the catalogue has it, then `words`, in which variables are still to
 * be replaced. Containers are processes of this machine, so a `command` needs no image.
 */
export function programOf(
  { image = '', command = [], args = [], name }: Pick<Container, 'image' | 'command' | 'args' | 'name'>,
  catalogue: Catalogue,
): Program {
  const known = findImage(catalogue, image);
  if (command.length > 0)
    return { words: [...command, ...args], fromImage: [], isImageKnown: known !== undefined };
  if (known === undefined)
    return {
      problem: 'ErrImagePull',
      message:
        `image "${image}" is not in the catalogue of this local cluster, whose containers are processes of this ` +
        `machine: give container ${name} a "command", or say what the image stands for with ` +
        `--image ${image.replace(/[:@].*$/, '') || 'NAME'}='PROGRAM ARGS'`,
    };
  const fromImage = args.length > 0 ? [...known.entrypoint] : [...known.entrypoint, ...known.cmd];
  if (fromImage.length + args.length === 0)
    return {
      problem: 'CreateContainerError',
      message: `image "${image}" has no program, and container ${name} no "command"`,
    };
  return { words: [...args], fromImage, isImageKnown: true };
}
