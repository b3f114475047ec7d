import { extname } from 'node:path'
import { listGuarded } from '../../core/files/guarded-files.ts'
import { asciiText } from '../../core/values/decimal.ts'
import type { DataFile } from '../format.ts'
import { FormatError } from '../format.ts'
import type { GdalDriver } from './gdal-drivers.ts'
import { isRedirection } from './gdal-drivers.ts'
import type { GdalSource } from './gdal-programs.ts'
import { withGdalSource } from './gdal-programs.ts'

/** Maximum CPU time to find out whether GDAL opens the file, in milliseconds. */
const probeTimeoutMs = 20_000
/** Never aborts: only the limit on CPU time ends a check. */
const endless = new AbortController().signal
const texts = new WeakMap<Uint8Array, string>()

/**
 * Returns the start of a file as Latin-1, without byte order mark, UTF-16 as its lower bytes; computed once
 * per file.
 */
function headText(head: Uint8Array): string {
  const known = texts.get(head)
  if (known !== undefined) return known
  const plain = asciiText(head, 0, head.length).replace(/^\u00ef\u00bb\u00bf/, '')
  const text = /^(\u00ff\u00fe|\u00fe\u00ff)/.test(plain) ? plain.slice(2).replaceAll('\u0000', '') : plain
  texts.set(head, text)
  return text
}

/** True if a driver reads a file; calls GDAL if the start of the file is inconclusive. */
export function detectGdal(
  driver: GdalDriver,
  file: DataFile,
  head: Uint8Array,
  limitMs = probeTimeoutMs,
): boolean | Promise<boolean> {
  const extension = extname(file.path).slice(1).toLowerCase()
  const isNamed = driver.extensions.includes(extension)
  if (driver.folderFile !== undefined) return isNamed && holdsFile(file.path, driver.folderFile)
  const text = headText(head)
  if (isRedirection(text)) return false
  if (!isNamed) return driver.isUnmistakable?.(text) ?? false
  if (!driver.suits(text)) return false
  return driver.isProbed === true && text !== '' ? canOpen(file, driver, limitMs) : text !== ''
}

async function holdsFile(folder: string, form: RegExp): Promise<boolean> {
  const entries = await Array.fromAsync(listGuarded(folder)).catch(() => [])
  return entries.some(({ name }) => form.test(name))
}

/**
 * Without GDAL, or if GDAL exceeds its time limit, the extension decides: describing the file, which may take
 * longer, reports what is missing. A timeout never means that the file has another format.
 */
async function canOpen(file: DataFile, driver: GdalDriver, limitMs: number): Promise<boolean> {
  try {
    for await (const _ of withGdalSource(file, driver, endless, (source) => listing(source, limitMs)));
    return true
  } catch (error) {
    if (error instanceof FormatError) return undecided.includes(error.code)
    throw error
  }
}

const undecided: readonly unknown[] = ['gdal-missing', 'gdal-too-slow']

async function* listing(source: GdalSource, limitMs: number): AsyncGenerator<string> {
  yield await source.info(['-q'], [], limitMs)
}
