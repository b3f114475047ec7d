import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { after } from 'node:test'

/** Returns a function that writes a file into a temporary folder of the test file, and returns its path. */
export function temporaryFiles(): (name: string, content: string | Uint8Array) => string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-files-'))
  after(() => rmSync(folder, { recursive: true }))
  return (name, content) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }
}

/** A new folder, removed after the test. */
export function temporaryFolder(test: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'terrane-folder-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
