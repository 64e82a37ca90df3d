import type { BinaryImage } from '../cluster/images/load-binary-image.ts';
import type { ProgramName } from '../cluster/images/program-images.ts';

/** An image with one binary. The same test can run the sources of the binary on the local cluster. */
export interface TestedBinary extends BinaryImage {
  /** The command line that the local cluster runs in place of the binary. Defaults to the binary. */
  locally?: readonly string[];
}

/** Images that tests add to a cluster with real pods. */
export interface EngineImages {
  /**
   * Makes the image of a program available to pods and returns its name. `name` defaults to that of the program with the
   * version of Debian. Throws when the Debian package is missing.
   */
  loadProgramImage(program: ProgramName, name?: string): Promise<string>;
  /**
   * Makes an image with one binary available to pods. On the local cluster, every container can run the binary at
   * `paths`, whatever its image.
   */
  loadBinaryImage(image: TestedBinary): Promise<void>;
}
