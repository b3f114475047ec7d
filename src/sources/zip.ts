import { createWriteStream } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Entry, ZipFile } from 'yauzl'
import { getFileNameLowLevel, openPromise, parseExtraFields } from 'yauzl'
import type { Failure } from '../lib/errors.ts'
import { invalid } from '../lib/errors.ts'
import { cleanEntryName, findNameFault, isSkippedEntry, shownName } from './entry-name.ts'
import type { ExtractOptions, SourceLimits } from './limits.ts'

/** Below this the ratio says nothing: a short text of blanks packs very well. */
const ratioFloorBytes = 1 << 20
const unixLink = 0xa000
const unixTypeMask = 0xf000

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** APPNOTE 4.4.4 and appendix D: UTF-8 where flagged; unflagged names are often UTF-8 as well, else code page 437. */
function entryName(entry: Entry): string {
  const raw = entry.fileName as unknown as Buffer
  try {
    return strictUtf8.decode(raw)
  } catch {
    return getFileNameLowLevel(entry.generalPurposeBitFlag, raw, parseExtraFields(entry.extraFieldRaw), false)
  }
}

function broken(archive: string, cause: unknown): Failure {
  const detail = cause instanceof Error ? `: ${cause.message}` : ''
  return invalid('broken-archive', `"${basename(archive)}" is not a readable zip archive${detail}`, { cause })
}

function refused(archive: string, name: string, why: string): Failure {
  return invalid(
    'bad-archive-entry',
    `"${basename(archive)}" is refused: the entry "${shownName(name)}" cannot be unpacked, ${why}`,
  )
}

function checkEntry(archive: string, entry: Entry, name: string): void {
  const fault = findNameFault(name)
  if (fault !== undefined) throw refused(archive, name, fault)
  if (((entry.externalFileAttributes >>> 16) & unixTypeMask) === unixLink) {
    throw refused(archive, name, 'it is a link')
  }
  if (entry.isEncrypted()) throw refused(archive, name, 'it is encrypted')
}

/** Adds up declared sizes, which yauzl holds every entry to. */
function createSizeCheck(archive: string, archiveBytes: number, limits: SourceLimits) {
  let expandedBytes = 0
  return (entry: Entry): void => {
    expandedBytes += entry.uncompressedSize
    const name = basename(archive)
    if (expandedBytes > limits.maxExpandedBytes) {
      throw invalid('archive-too-large', `"${name}" expands to more than ${limits.maxExpandedBytes} bytes`)
    }
    if (expandedBytes > ratioFloorBytes && expandedBytes > archiveBytes * limits.maxRatio) {
      throw invalid('archive-too-large', `"${name}" expands to more than ${limits.maxRatio} times its size`)
    }
  }
}

async function writeEntry(zip: ZipFile, entry: Entry, target: string, signal: AbortSignal): Promise<void> {
  await mkdir(dirname(target), { recursive: true })
  const source = await zip.openReadStreamPromise(entry)
  await pipeline(source, createWriteStream(target, { flags: 'wx', mode: 0o600 }), { signal })
}

async function extractEntries(zip: ZipFile, archive: string, folder: string, options: ExtractOptions) {
  const { limits, signal } = options
  if (zip.entryCount > limits.maxEntries) {
    throw invalid(
      'too-many-entries',
      `"${basename(archive)}" holds ${zip.entryCount} entries, more than ${limits.maxEntries}`,
    )
  }
  const checkSize = createSizeCheck(archive, (await stat(archive)).size, limits)
  for await (const entry of zip.eachEntry()) {
    signal.throwIfAborted()
    const rawName = entryName(entry)
    const name = cleanEntryName(rawName)
    checkEntry(archive, entry, name)
    checkSize(entry)
    if (/[/\\]$/.test(rawName) || isSkippedEntry(name)) continue
    try {
      await writeEntry(zip, entry, join(folder, name), signal)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code === 'EEXIST' || code === 'ENOTDIR' || code === 'EISDIR') {
        throw refused(archive, name, 'another entry has its name')
      }
      throw error
    }
  }
}

function isOurs(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return (
    error instanceof Error &&
    (error.name === 'Failure' || (typeof code === 'string' && /^E[A-Z]+$/.test(code)))
  )
}

/** Unpacks a zip archive; names, links, count, size and ratio are checked before anything of an entry is written. */
export async function extractZip(archive: string, folder: string, options: ExtractOptions): Promise<void> {
  const zip = await openPromise(archive, { autoClose: false, decodeStrings: false, lazyEntries: true }).catch(
    (error: unknown) => {
      throw isOurs(error) ? error : broken(archive, error)
    },
  )
  try {
    await extractEntries(zip, archive, folder, options)
  } catch (error) {
    if (options.signal.aborted || isOurs(error)) throw error
    throw broken(archive, error)
  } finally {
    zip.close()
  }
}
