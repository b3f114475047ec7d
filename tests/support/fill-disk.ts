import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const megabyte = 2 ** 20

/** Fills the disk of a folder to the last byte. Returns a function that frees the space. */
export function fillDisk(folder: string): () => void {
  const names: string[] = []
  for (const size of [megabyte, 4096, 1]) {
    try {
      for (;;) {
        const name = join(folder, `filler-${names.length}`)
        names.push(name)
        writeFileSync(name, Buffer.alloc(size))
      }
    } catch {
      // The next size finds what is left.
    }
  }
  return () => {
    for (const name of names) rmSync(name, { force: true })
  }
}
