import { link, rename } from 'node:fs/promises'

/**
 * Gives a file another name on the same disk, without copying; it has both then, unless the disk knows one name for each file:
 * there it is moved. Throws what the system says where the new name is taken.
 */
export async function giveFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error
    await rename(from, to)
  }
}
