import path from 'node:path';
import { exitWithUsage, toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { type BuiltImage, buildImage } from './image/build-image.ts';
import { removeOldLayers } from './image/compressed-layer.ts';
import { debianLockFile } from './image/debian-lock.ts';
import { imageDefinitions } from './image/definitions.ts';
import { root } from './image/package-lock.ts';
import { platforms } from './image/platform.ts';
import { releaseOf } from './image/release.ts';
import { isOverBudget, sizeRows, sizeTable } from './image/size-table.ts';
import { updateDebianLock } from './image/update-debian-lock.ts';

const help = `Usage: npm run image [-- [IMAGE...] [flags]]

Builds the container images trimtab and trimtab-agent without Docker and without root. Each is one archive with all platforms,
in the layout of OCI, for containerd, docker load, skopeo and crane. The same commit results in the same bytes. The bill of
materials (SPDX) is in the archive, and beside it. Prints the sizes, and exits with 1 if an image is over its budget.

  IMAGE                 trimtab or trimtab-agent; defaults to both
  --platform PLATFORM   linux/amd64 or linux/arm64; repeat for both, which is the default
  --version VERSION     tag of the images; defaults to the version of packages/trimtab/package.json
  --repository PREFIX   registry and folder before the names, such as registry.example.com/platform
  --out FOLDER          folder of the archives; defaults to dist/images
  --rootfs              also write the files of the images to FOLDER/rootfs; deploy/image/*.Dockerfile copies them
  --debian-mirror URL   mirror of the Debian packages; repeat for several. Defaults to the apt sources of this machine
  --update-packages     pin the current versions of the Debian packages in tools/image/debian-lock.json, and build nothing
  -h, --help            print this text

Environment
  SOURCE_DATE_EPOCH     creation time of the images in seconds since 1970; defaults to the time of the commit

Examples
  npm run image
  npm run image -- trimtab-agent --platform linux/arm64
  npm run image -- --version 1.2.0 --repository registry.example.com/platform
`;

const { values, positionals } = toolArguments({
  help,
  allowPositionals: true,
  options: {
    platform: { type: 'string', multiple: true },
    version: { type: 'string' },
    repository: { type: 'string' },
    out: { type: 'string' },
    rootfs: { type: 'boolean' },
    'debian-mirror': { type: 'string', multiple: true },
    'update-packages': { type: 'boolean' },
  },
});

const chosen = [...new Set(positionals)].map(
  (name) =>
    imageDefinitions.find((each) => each.name === name) ??
    exitWithUsage(help, `'${name}' is not an image of this repository`),
);
const chosenPlatforms = [...new Set(values.platform)].map(
  (name) =>
    platforms.find((each) => each.name === name) ??
    exitWithUsage(
      help,
      `--platform must be ${platforms.map((each) => each.name).join(' or ')}, not '${name}'`,
    ),
);
const { version, repository, out } = values;
if (version !== undefined && !/^[\w][\w.-]{0,127}$/.test(version))
  exitWithUsage(help, `--version must be a valid tag of an image, not '${version}'`);
if (repository !== undefined && !/^[a-z0-9]+([._:/-]+[a-z0-9]+)*$/.test(repository))
  exitWithUsage(help, `--repository must be a registry and a path in lower case, not '${repository}'`);
if (out === '') exitWithUsage(help, '--out needs the path of a folder');

try {
  if (values['update-packages']) {
    updateDebianLock();
    console.log(`${debianLockFile} has the current versions; commit it`);
  } else await build();
} catch (error) {
  console.error(`error: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

async function build(): Promise<void> {
  const release = await releaseOf(version);
  const built: BuiltImage[] = [];
  for (const definition of chosen.length > 0 ? chosen : imageDefinitions)
    built.push(
      await buildImage(definition, {
        release,
        platforms: chosenPlatforms.length > 0 ? chosenPlatforms : platforms,
        out: path.resolve(out ?? path.join(root, 'dist/images')),
        ...(repository === undefined ? {} : { repository }),
        ...(values.rootfs ? { rootfs: true } : {}),
        ...(values['debian-mirror'] ? { mirrors: values['debian-mirror'] } : {}),
      }),
    );
  removeOldLayers();
  for (const { archive, name, digest } of built) console.log(`${archive}: ${name}@${digest}`);
  const rows = built.flatMap(sizeRows);
  console.log(`\n${sizeTable(rows)}`);
  for (const { image, platform } of rows.filter(isOverBudget))
    console.error(`error: image ${image} for ${platform} is over its budget`);
  if (rows.some(isOverBudget)) process.exitCode = 1;
}
