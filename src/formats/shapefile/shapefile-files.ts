import { readGuarded } from '../../core/files/guarded-files.ts'
import { findLanguageDriverName } from '../../core/text/encoding-names.ts'
import { findTextEncoding, type TextEncoding } from '../../core/text/text-encoding.ts'
import { ByteWindow } from '../byte-window.ts'
import type { DataFile, FormatMessage, ReadContext } from '../format.ts'
import { FormatError } from '../format.ts'
import type { OpenFile } from '../open-file.ts'
import { openFile } from '../open-file.ts'
import type { DbfHeader } from './dbf-header.ts'
import { readDbfHeader } from './dbf-header.ts'
import type { MemoFile } from './dbf-memo.ts'
import { createMemoFile } from './dbf-memo.ts'
import type { IndexCheck } from './shape-index.ts'
import { checkIndex } from './shape-index.ts'
import type { ShpHeader } from './shp-header.ts'
import { parseShpHeader, shpHeaderBytes } from './shp-header.ts'

/** An open table and its memo file. */
export interface TableFiles {
  dbf: { file: OpenFile; header: DbfHeader } | undefined
  memo: MemoFile | undefined
  close(): Promise<void>
}

/** The open files of one Shapefile. */
export interface ShapefileFiles extends TableFiles {
  shp: OpenFile
  header: ShpHeader
  /** Present if it is used to locate records. */
  shx: OpenFile | undefined
  index: IndexCheck | undefined
  /** Open files by extension; the .shp has an empty extension. */
  files: Map<string, OpenFile>
}

export interface PartsOptions {
  /** True if rows are read by location, in small pieces: the .shx is not opened. */
  isPlaced?: boolean
}

/** Opens a file; `extension` is that of the part, empty for the main file. */
type OpenPart = (path: string, extension: string) => Promise<OpenFile>

/** Opens files for `work`; its result must close them. Closes them on failure. */
async function openAll<T>(
  signal: AbortSignal,
  isSync: boolean,
  work: (open: OpenPart) => Promise<T>,
): Promise<T & { files: Map<string, OpenFile>; close(): Promise<void> }> {
  const files = new Map<string, OpenFile>()
  const close = async (): Promise<void> => {
    for (const each of files.values()) await each.close()
  }
  try {
    const parts = await work(async (path, extension) => {
      const part = await openFile(path, signal, { isSync })
      files.set(extension, part)
      return part
    })
    return { ...parts, files, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens all existing parts; the caller must close them. Throws `FormatError` if the .shp or .dbf is
 * unreadable as a whole.
 */
export function openParts(
  file: DataFile,
  signal: AbortSignal,
  { isPlaced = false }: PartsOptions = {},
): Promise<ShapefileFiles> {
  return openAll(signal, isPlaced, async (open) => {
    const shp = await open(file.path, '')
    const head = new ByteWindow(shp.read, shpHeaderBytes)
    await head.load(0, shpHeaderBytes)
    const header = parseShpHeader(head.bytes.subarray(0, head.end))
    const { shx: indexPath, dbf: tablePath } = file.sidecars
    const shx = isPlaced || indexPath === undefined ? undefined : await open(indexPath, 'shx')
    const index = shx === undefined ? undefined : await checkIndex(shx, shp)
    const table = tablePath === undefined ? undefined : await openDbf(tablePath, file, open)
    const followed = index?.state === 'followed' ? shx : undefined
    return { shp, header, shx: followed, index, dbf: table?.dbf, memo: table?.memo }
  })
}

/** Opens a .dbf without a .shp; the caller must close it. */
export function openTable(file: DataFile, signal: AbortSignal): Promise<TableFiles> {
  return openAll(signal, false, (open) => openDbf(file.path, file, open))
}

async function openDbf(
  path: string,
  { sidecars }: DataFile,
  open: OpenPart,
): Promise<{ dbf: { file: OpenFile; header: DbfHeader }; memo: MemoFile | undefined }> {
  const file = await open(path, 'dbf')
  const header = await readDbfHeader(file)
  const extension = sidecars.fpt === undefined ? 'dbt' : 'fpt'
  const texts = sidecars[extension]
  const memo = texts === undefined ? undefined : createMemoFile(await open(texts, extension), extension)
  return { dbf: { file, header }, memo }
}

/**
 * Returns the declared encoding: by the caller, by the .cpg or .cst, or by the language driver of the .dbf,
 * in this order.
 */
export async function declaredEncoding(
  file: DataFile,
  languageDriver: number,
  context: ReadContext,
  messages: FormatMessage[],
): Promise<TextEncoding | undefined> {
  if (context.charset !== undefined) {
    const chosen = findTextEncoding(context.charset)
    if (chosen !== undefined) return chosen
    throw new FormatError(`Unknown charset "${context.charset}"`, { code: 'unknown-charset' })
  }
  const warn = (message: string): void => {
    messages.push({ level: 'warning', code: 'unknown-charset', message })
  }
  const page = file.sidecars.cpg ?? file.sidecars.cst
  if (page !== undefined) {
    const text = (await readSmallFile(page))
      .toString('latin1')
      .replace(/^\u00ef\u00bb\u00bf/, '')
      .trim()
    const declared = findTextEncoding(text)
    if (declared !== undefined) return declared
    warn(`The .cpg or .cst names an encoding that is not known: "${text.slice(0, 40)}"`)
  }
  if (languageDriver === 0) return undefined
  const name = findLanguageDriverName(languageDriver)
  if (name === undefined)
    warn(`The .dbf names an encoding that is not known: language driver ${languageDriver}`)
  return name === undefined ? undefined : findTextEncoding(name)
}

const maxSmallFile = 1 << 20

/** Reads a small sidecar. Throws `FormatError` if it is too large. */
export async function readSmallFile(path: string): Promise<Buffer> {
  const bytes = await readGuarded(path)
  if (bytes.length <= maxSmallFile) return bytes
  throw new FormatError(`${path} is ${bytes.length} bytes long; at most ${maxSmallFile} are expected`)
}
