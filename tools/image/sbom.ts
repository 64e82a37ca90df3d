import type { DebianPackage } from './debian-lock.ts';
import { type Document, document, mediaTypes } from './documents.ts';
import type { LockedPackage } from './package-lock.ts';
import type { Platform } from './platform.ts';

/** What an image for one platform is made of. */
export interface BillOfMaterials {
  image: string;
  version: string;
  platform: Platform;
  /** Digest of the manifest of the image. */
  manifest: string;
  created: string;
  /** Bun is one of them. */
  npm: readonly LockedPackage[];
  debian: readonly DebianPackage[];
  /** Code name of Debian's release. */
  release: string;
}

interface Part {
  name: string;
  version: string;
  license: string;
  purl: string;
  checksum?: { algorithm: string; checksumValue: string };
}

/** The bill of materials in SPDX 2.3. */
export function sbomDocument(bill: BillOfMaterials): Document {
  const { image, version, platform, manifest, created } = bill;
  const parts: Part[] = [
    {
      name: image,
      version,
      license: 'NOASSERTION',
      purl: `pkg:oci/${image}@${encodeURIComponent(manifest)}?arch=${platform.architecture}`,
      checksum: { algorithm: 'SHA256', checksumValue: manifest.replace('sha256:', '') },
    },
    ...bill.npm.map(npmPart),
    ...bill.debian.map((each) => debianPart(each, bill.release)),
  ];
  const packages = parts.map((part, index) => ({
    SPDXID: `SPDXRef-${index === 0 ? 'Image' : `Package-${idOf(part)}`}`,
    name: part.name,
    versionInfo: part.version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: part.license,
    copyrightText: 'NOASSERTION',
    ...(part.checksum ? { checksums: [part.checksum] } : {}),
    externalRefs: [
      { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: part.purl },
    ],
  }));
  const name = `${image}-${version}-${platform.name.replace('/', '-')}`;
  return document(mediaTypes.spdx, {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `https://trimtab.dev/spdx/${name}-${manifest.replace('sha256:', '')}`,
    creationInfo: { created, creators: ['Organization: Trimtab', 'Tool: npm-run-image'] },
    packages,
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-Image'),
      ...packages.slice(1).map(({ SPDXID }) => relationship('SPDXRef-Image', 'CONTAINS', SPDXID)),
    ],
  });
}

function npmPart({ name, version, license = 'NOASSERTION', integrity }: LockedPackage): Part {
  const checksumValue = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { name, version, license, purl, checksum: { algorithm: 'SHA512', checksumValue } };
}

function debianPart({ name, version, architecture, sha256 }: DebianPackage, release: string): Part {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${release}`;
  const checksum = { algorithm: 'SHA256', checksumValue: sha256 };
  // The licences are in the image: /usr/share/doc/*/copyright.
  return { name, version, license: 'NOASSERTION', purl, checksum };
}

function relationship(from: string, type: string, to: string): object {
  return { spdxElementId: from, relationshipType: type, relatedSpdxElement: to };
}

/** Identifiers may contain letters, digits, dots and hyphens. */
function idOf({ name, version }: Part): string {
  return `${name}-${version}`.replace(/[^A-Za-z0-9.-]/g, '-');
}
