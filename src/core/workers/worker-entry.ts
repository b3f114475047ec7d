import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { bundleFolder } from '../bundle/bundle-folder.ts'
import { findBundle } from '../bundle/server-bundle.mjs'

const sourceFolder = dirname(dirname(import.meta.dirname))

/**
 * Returns what to start for the source file of a worker: its bundled form where this process runs from a bundle, or
 * runs the sources that a bundle was made of; otherwise the file itself. A worker starts others as it was started.
 */
export function workerEntry(source: URL): URL {
  const path = fileURLToPath(source)
  const folder = usedBundle()
  if (folder === undefined || !path.startsWith(sourceFolder + sep)) return source
  // As `entryName` of `scripts/setup/server.mjs` names it.
  const name = relative(sourceFolder, path).replace(/\.ts$/, '').replaceAll(sep, '.')
  const bundled = join(folder, `${name}.js`)
  return existsSync(bundled) ? pathToFileURL(bundled) : source
}

/** Result for a process that runs the sources; later edits do not change the modules it has loaded. */
let found: { folder?: string | undefined } | undefined

function usedBundle(): string | undefined {
  if (bundleFolder !== undefined) return bundleFolder
  if (!isMainThread || process.send !== undefined) return undefined
  found ??= findBundle(dirname(sourceFolder))
  return found.folder
}
