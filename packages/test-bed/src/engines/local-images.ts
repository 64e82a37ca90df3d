import type { Catalogue, Image } from '@trimtab/local-cluster/kubelet/images/catalogue.ts';
import type { NodeOptions } from '@trimtab/local-cluster/local-node.ts';
import { type ProgramImage, type ProgramName, programImages } from '../cluster/images/program-images.ts';
import { requireProgram } from '../cluster/images/program-layer.ts';
import { findProgram } from '../cluster/prerequisites.ts';
import type { EngineImages, TestedBinary } from './engine-images.ts';

/** The images and programs of a local cluster. Images are programs of this machine. */
export class LocalImages implements EngineImages {
  readonly images: Catalogue;
  readonly programs: Map<string, readonly string[]>;
  readonly #own = new Map<string, Image>();
  readonly #machine: { uid: number; find: typeof findProgram };

  constructor(
    { images, programs }: Pick<NodeOptions, 'images' | 'programs'>,
    machine = { uid: process.getuid?.() ?? 0, find: findProgram },
  ) {
    this.images = { get: (name) => this.#own.get(name) ?? images?.get(name) };
    this.programs = new Map(programs);
    this.#machine = machine;
  }

  async loadProgramImage(program: ProgramName, name = programImages[program].name): Promise<string> {
    const image = programImages[program];
    requireProgram(image, this.#machine.find);
    const words = [...this.#inPlaceOfRoot(image), image.program];
    this.#own.set(
      name,
      image.isEntrypoint
        ? { entrypoint: words, cmd: image.args }
        : { entrypoint: [], cmd: [...words, ...image.args] },
    );
    return name;
  }

  async loadBinaryImage({ names, binary, paths, locally = [binary] }: TestedBinary): Promise<void> {
    for (const name of names) this.#own.set(name, { entrypoint: locally, cmd: [] });
    for (const path of paths) this.programs.set(path, locally);
  }

  /** The local cluster ignores the user of an image, so a program that refuses root gets its own account. */
  #inPlaceOfRoot({ refusesRoot: account }: ProgramImage): string[] {
    if (account === undefined || this.#machine.uid !== 0) return [];
    return ['setpriv', `--reuid=${account}`, `--regid=${account}`, '--clear-groups', '--'];
  }
}
