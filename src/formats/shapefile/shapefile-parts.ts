import { readFile } from 'node:fs/promises'
import { findLanguageDriverName } from '../../lib/encoding-names.ts'
import { findTextEncoding, type TextEncoding } from '../../lib/text-encoding.ts'
import { ByteWindow } from '../byte-window.ts'
import type { DataFile, Message, ReadContext } from '../format.ts'
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
import { headerBytes, parseShpHeader } from './shp-header.ts'

/** The files of one Shapefile, open. */
export interface ShapefileParts {
  shp: OpenFile
  header: ShpHeader
  /** Present where records are found by it. */
  shx: OpenFile | undefined
  index: IndexCheck | undefined
  dbf: { file: OpenFile; header: DbfHeader } | undefined
  memo: MemoFile | undefined
  /** The open files by extension, the .shp under no name. */
  files: Map<string, OpenFile>
  close(): Promise<void>
}

export interface PartsOptions {
  /** Rows are found by their places, in small pieces: the .shx is left alone. */
  isPlaced?: boolean
}

/** Opens what is there; the caller closes it. Throws `FormatError` when .shp or .dbf cannot be read at all. */
export async function openParts(
  file: DataFile,
  signal: AbortSignal,
  { isPlaced = false }: PartsOptions = {},
): Promise<ShapefileParts> {
  const opened: OpenFile[] = []
  const close = async (): Promise<void> => {
    for (const each of opened) await each.close()
  }
  const openPart = async (path: string | undefined): Promise<OpenFile | undefined> => {
    if (path === undefined) return undefined
    const part = await openFile(path, signal, { isSync: isPlaced })
    opened.push(part)
    return part
  }
  try {
    const shp = await openFile(file.path, signal, { isSync: isPlaced })
    opened.push(shp)
    const head = new ByteWindow(shp.read, headerBytes)
    await head.load(0, headerBytes)
    const header = parseShpHeader(head.bytes.subarray(0, head.end))
    const shx = isPlaced ? undefined : await openPart(file.sidecars.shx)
    const index = shx === undefined ? undefined : await checkIndex(shx, shp)
    const table = await openPart(file.sidecars.dbf)
    const dbf = table === undefined ? undefined : { file: table, header: await readDbfHeader(table) }
    const extension = file.sidecars.fpt === undefined ? 'dbt' : 'fpt'
    const texts = dbf === undefined ? undefined : await openPart(file.sidecars[extension])
    const memo = texts === undefined ? undefined : createMemoFile(texts, extension)
    const files = new Map([['', shp]])
    if (table !== undefined) files.set('dbf', table)
    if (texts !== undefined) files.set(extension, texts)
    return { files, shp, header, shx: index?.state === 'followed' ? shx : undefined, index, dbf, memo, close }
  } catch (error) {
    await close()
    throw error
  }
}

/** The encoding that somebody declares: the caller, the .cpg or .cst, or the language driver of the .dbf, in this order. */
export async function declaredEncoding(
  file: DataFile,
  languageDriver: number,
  context: ReadContext,
  messages: Message[],
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

/** A sidecar of a few lines. Throws `FormatError` when it is none. */
export async function readSmallFile(path: string): Promise<Buffer> {
  const bytes = await readFile(path)
  if (bytes.length <= maxSmallFile) return bytes
  throw new FormatError(`${path} is ${bytes.length} bytes long; at most ${maxSmallFile} are expected`)
}
