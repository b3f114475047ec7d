import type { ArchiveKind } from './archive-kind.ts'
import { splitArchive } from './failures.ts'

export const rar: ArchiveKind = { name: 'rar', endings: ['.rar'] }

/** One part of a split archive. */
export const split: ArchiveKind = {
  name: 'split',
  endings: ['.z01', '.zip.001', '.7z.001', '.tar.001', '.tar.gz.001'],
  refusal: splitArchive,
}
