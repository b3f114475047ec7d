import { link, rename } from 'node:fs/promises'

/**
 * Creates a second name for a file on the same disk, without copying; moves the file if the disk does not
 * support hard links. Throws the system error if the new name exists.
 */
export async function giveFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    await rename(from, to)
  }
}
