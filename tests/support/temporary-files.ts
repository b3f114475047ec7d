import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'

/** Gives a function that writes a file of this name into a folder of the test file's own, and returns its path. */
export function temporaryFiles(): (name: string, content: string | Uint8Array) => string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-files-'))
  after(() => rmSync(folder, { recursive: true }))
  return (name, content) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
}
