import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Failure } from '../../lib/errors.ts'

/** Disk space that is left free for other uses. */
const spareBytes = 256 << 20

/** Throws `Failure` where a file cannot grow any more. */
export function requireFreeSpace(file: string): void {
  const { bsize, bavail } = statfsSync(dirname(file))
  if (bsize * bavail < spareBytes)
    throw new Failure(
      'unavailable',
      'no-room-for-version',
      'There is no room on the disk for a copy of the version',
    )
}
