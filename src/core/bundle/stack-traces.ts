import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundleFolder } from './bundle-folder.ts'

/** Source maps by script; undefined if a script has none. */
const maps = new Map<string, SourceMap | undefined>()

/**
 * Maps stack traces of a bundle to files and lines of the sources. Reads a source map when a stack trace
 * first contains its script: Node's `--enable-source-maps` reads all of them when scripts are loaded, which
 * takes 12 to 40 ms and 7 MB in each process and thread.
 */
export function mapStackTraces(): void {
  if (bundleFolder === undefined) return
  const folder = pathToFileURL(bundleFolder).href
  Error.prepareStackTrace = (error, sites) =>
    [headOf(error), ...sites.map((site) => `    at ${describeSite(site, folder)}`)].join('\n')
}

function headOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return '<error>'
  }
}

function describeSite(site: NodeJS.CallSite, folder: string): string {
  const script = site.getFileName()
  const line = site.getLineNumber()
  const column = site.getColumnNumber()
  if (!script?.startsWith(folder) || line === null || column === null) return String(site)
  const entry = mapOf(script)?.findEntry(line - 1, column - 1)
  if (entry === undefined || !('originalSource' in entry) || entry.originalSource === undefined)
    return String(site)
  const source = resolve(dirname(fileURLToPath(script)), entry.originalSource)
  return String(site).replace(
    `${script}:${line}:${column}`,
    `${pathToFileURL(source).href}:${entry.originalLine + 1}`,
  )
}

function mapOf(script: string): SourceMap | undefined {
  if (!maps.has(script)) maps.set(script, readMap(script))
  return maps.get(script)
}

/** A script that only contains packages has no map. */
function readMap(script: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${script}.map`), 'utf8')))
  } catch {
    return undefined
  }
}
