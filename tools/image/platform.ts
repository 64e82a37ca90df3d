/** A platform of the images. */
export interface Platform {
  /** As container tools write it. */
  name: string;
  architecture: 'amd64' | 'arm64';
  /** The package of Bun for this platform. Its version and checksum are in package-lock.json. */
  bunPackage: string;
  /** Bun's name for the platform. */
  bunTarget: string;
  /** Debian's name for the folder of the libraries. */
  libraryFolder: string;
  /** `e_machine` of the programs in ELF. */
  elfMachine: number;
}

export const platforms: readonly Platform[] = [
  {
    name: 'linux/amd64',
    architecture: 'amd64',
    bunPackage: '@oven/bun-linux-x64',
    bunTarget: 'bun-linux-x64',
    libraryFolder: 'x86_64-linux-gnu',
    elfMachine: 62,
  },
  {
    name: 'linux/arm64',
    architecture: 'arm64',
    bunPackage: '@oven/bun-linux-aarch64',
    bunTarget: 'bun-linux-arm64',
    libraryFolder: 'aarch64-linux-gnu',
    elfMachine: 183,
  },
];
