import { parseImageReference } from '../../objects/image-reference.ts';
import type { Container } from '../../objects/pod.ts';

/** The program of this machine that runs in place of an image. */
export interface Image {
  /** The program and its first arguments. A container's `command` replaces it. */
  entrypoint: readonly string[];
  /** Default arguments. A container's `args` replace them. */
  cmd: readonly string[];
}

/** Images by name. A name is looked up when a container starts, so images can be added at any time. */
export type Catalogue = Pick<ReadonlyMap<string, Image>, 'get'>;

const shell: Image = { entrypoint: [], cmd: ['sh'] };

/** Images that every local cluster has. The embedding program adds its own images. */
export function builtInImages(nodeProgram: string): ReadonlyMap<string, Image> {
  return new Map<string, Image>([
    ...['busybox', 'alpine', 'debian', 'ubuntu', 'bash'].map((name): [string, Image] => [name, shell]),
    ['node', { entrypoint: [nodeProgram], cmd: [] }],
  ]);
}

/** The built-in images and those of the embedding program, which take precedence. */
export function withBuiltInImages(nodeProgram: string, own?: Catalogue): Catalogue {
  const builtIn = builtInImages(nodeProgram);
  return { get: (name) => own?.get(name) ?? builtIn.get(name) };
}

/** Looks up an image by its full name, and then by the names of `lookupNames`. */
export function findImage(catalogue: Catalogue, image: string): Image | undefined {
  for (const name of [image, ...lookupNames(image)]) {
    const found = catalogue.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The names under which an image can be in the catalogue, the most specific first: `shop.example/library/nginx:1.9` is also
 * `shop.example/library/nginx`, `library/nginx:1.9`, `library/nginx`, `nginx:1.9` and `nginx`. A manifest that names another
 * registry then runs the same program. Digests do not count.
 */
function lookupNames(image: string): string[] {
  const parts = image.replace(/@.*$/, '').split('/');
  return parts.flatMap((_, index) => {
    const name = parts.slice(index).join('/');
    return [name, name.replace(/:[^:/]+$/, '')];
  });
}

export type Program =
  | { words: string[]; fromImage: string[]; isImageKnown: boolean }
  | { problem: 'InvalidImageName' | 'ErrImagePull' | 'CreateContainerError'; message: string };

/**
 * The command line of a container: `fromImage` as in the catalogue, then `words`, whose variables are still to be
 * expanded. Containers are processes of this machine, so a container with a `command` needs no image. The image name
 * must be valid all the same, as in any cluster.
 */
export function programOf(
  { image = '', command = [], args = [], name }: Pick<Container, 'image' | 'command' | 'args' | 'name'>,
  catalogue: Catalogue,
): Program {
  const reference = parseImageReference(image);
  if ('problem' in reference)
    return {
      problem: 'InvalidImageName',
      message: `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${reference.problem}`,
    };
  const known = findImage(catalogue, image);
  if (command.length > 0)
    return { words: [...command, ...args], fromImage: [], isImageKnown: known !== undefined };
  if (known === undefined)
    return {
      problem: 'ErrImagePull',
      message:
        `image "${image}" is not in the image catalogue: the local cluster pulls no images and runs containers as ` +
        `processes of this machine. Set "command" of container ${name}, or map the image to a program with ` +
        `--image ${lookupNames(image).at(-1)}='PROGRAM ARGS'`,
    };
  const fromImage = args.length > 0 ? [...known.entrypoint] : [...known.entrypoint, ...known.cmd];
  if (fromImage.length + args.length === 0)
    return {
      problem: 'CreateContainerError',
      message: `no command specified: image "${image}" has no program and container ${name} has no "command"`,
    };
  return { words: [...args], fromImage, isImageKnown: true };
}
