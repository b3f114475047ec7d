import type { ArchiveKind } from './archive-kind.ts'
import { compressedFiles, tarFiles } from './compressed.ts'
import { splitArchive } from './failures.ts'
import { sevenZip } from './seven-zip.ts'
import { kmz, zip } from './zip.ts'

const rar: ArchiveKind = { name: 'rar', endings: ['.rar'] }

/** One part of a split archive. */
const split: ArchiveKind = {
  name: 'split',
  endings: ['.z01', '.zip.001', '.7z.001', '.tar.001', '.tar.gz.001'],
  refusal: splitArchive,
}

/** All kinds of archives; the first with a matching extension is used. */
export const archives: readonly ArchiveKind[] = [
  zip,
  kmz,
  sevenZip,
  ...tarFiles,
  ...compressedFiles,
  rar,
  split,
]
