import { createWriteStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'

/** Writes a zip of every file below a folder, each under its path there. */
export async function zipFiles(path: string, folder: string, signal: AbortSignal): Promise<void> {
  const zip = new ZipFile()
  const output = createWriteStream(path, { mode: 0o600 })
  zip.on('error', (error: Error) => output.destroy(error))
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    zip.addFile(file, relative(folder, file).split(sep).join('/'))
  }
  zip.end()
  await pipeline(zip.outputStream, output, { signal })
}
