import { ByteWindow } from '../byte-window.ts'
import { FormatError } from '../format.ts'
import type { OpenFile } from '../open-file.ts'

/** A field descriptor (dBASE III and IV, Visual FoxPro). */
export interface DbfField {
  /** Name bytes as in the header, undecoded. */
  nameBytes: Uint8Array
  /** C, N, F, D, L, M and so on. */
  letter: string
  width: number
  decimals: number
  /** Offset in the record; the deletion flag is at 0. */
  offset: number
}

/** The layout of a .dbf, with counts and lengths that are possible for its size. */
export interface DbfHeader {
  fields: DbfField[]
  version: number
  languageDriver: number
  headerBytes: number
  recordBytes: number
  /** Number of rows in the header. */
  declaredRows: number
  /** Number of complete rows in the file. */
  possibleRows: number
  /** Descriptions of the errors in the header, if any. */
  corrections: string[]
}

const descriptorBytes = 32
const maxHeaderBytes = 1 << 16

export async function readDbfHeader(dbf: OpenFile): Promise<DbfHeader> {
  const window = ByteWindow.over(dbf, maxHeaderBytes)
  if (!(await window.load(0, Math.min(dbf.size, maxHeaderBytes))) || window.available < descriptorBytes + 1) {
    throw new FormatError(`The .dbf ends within its header: ${dbf.size} bytes`, { code: 'truncated' })
  }
  return parseDbfHeader(window.bytes.subarray(0, window.end), dbf.size)
}

/** `head` is the start of the file, including at least its header. */
function parseDbfHeader(head: Uint8Array, size: number): DbfHeader {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const version = view.getUint8(0)
  if ((version & 7) === 4) throw unreadable('dBASE 7 tables are not supported')
  const { fields, end } = parseFields(view, head)
  const declared = { headerBytes: view.getUint16(8, true), recordBytes: view.getUint16(10, true) }
  const rows = view.getUint32(4, true)
  widenTexts(fields, declared.recordBytes)
  const summed = widthOf(fields)
  const layout = chooseLayout(declared, { headerBytes: end, recordBytes: summed }, rows, size)
  const corrections: string[] = []
  for (const key of ['headerBytes', 'recordBytes'] as const) {
    if (layout[key] === declared[key]) continue
    const what = key === 'headerBytes' ? 'a header' : 'records'
    corrections.push(
      `the .dbf says ${what} of ${declared[key]} bytes, its fields and its size say ${layout[key]}`,
    )
  }
  let offset = 1
  for (const field of fields) {
    field.offset = offset
    offset += field.width
  }
  if (offset > layout.recordBytes)
    throw unreadable(`its fields take ${offset} bytes, a record ${layout.recordBytes}`)
  const possibleRows = Math.floor((size - layout.headerBytes) / layout.recordBytes)
  const languageDriver = view.getUint8(29)
  return { fields, version, languageDriver, ...layout, declaredRows: rows, possibleRows, corrections }
}

function unreadable(what: string): FormatError {
  return new FormatError(`The .dbf cannot be read: ${what}`, { code: 'bad-dbf' })
}

interface FieldList {
  fields: DbfField[]
  /** Offset after the list and its end mark. */
  end: number
}

/**
 * The list of fields ends with 0x0D. Some writers use another byte or none (shplib's samples): without that
 * mark, or if fields before it exceed the record length, the length in the header ends the list.
 */
function parseFields(view: DataView, head: Uint8Array): FieldList {
  const [headerBytes, recordBytes] = [view.getUint16(8, true), view.getUint16(10, true)]
  const marked = parseMarkedFields(view, head)
  const stated = parseStatedFields(view, head, headerBytes)
  const fits = ({ fields }: FieldList): boolean => widthOf(fields) === recordBytes
  if ('fields' in marked && (stated === undefined || fits(marked) || !fits(stated))) return marked
  if (stated !== undefined && fits(stated)) return stated
  throw unreadable('problem' in marked ? marked.problem : 'the list of its fields has no end')
}

function parseMarkedFields(view: DataView, head: Uint8Array): FieldList | { problem: string } {
  const fields: DbfField[] = []
  let at = descriptorBytes
  while (at + descriptorBytes <= head.length && head[at] !== 0x0d) {
    const field = parseField(view, head, at)
    if (!/[A-Z0-9@+]/.test(field.letter)) {
      return { problem: `field ${fields.length + 1} has no type that is known` }
    }
    fields.push(field)
    at += descriptorBytes
    // Some writers omit the end mark: a row follows, which starts with its deletion flag.
    const isRow = head[at] === 0x20 || head[at] === 0x2a
    if (isRow && at === view.getUint16(8, true)) return { fields, end: at }
  }
  return head[at] === 0x0d ? { fields, end: at + 1 } : { problem: 'the list of its fields has no end' }
}

/**
 * Returns as many fields as fit into the stated length of the header; a field of an unknown type is a text.
 */
function parseStatedFields(view: DataView, head: Uint8Array, headerBytes: number): FieldList | undefined {
  if (headerBytes < descriptorBytes * 2 || headerBytes > head.length) return undefined
  const fields: DbfField[] = []
  for (let at = descriptorBytes; at + descriptorBytes <= headerBytes; at += descriptorBytes) {
    const field = parseField(view, head, at)
    if (field.nameBytes.length === 0 || head[at] === 0x0d) break
    fields.push(field)
  }
  return { fields, end: headerBytes }
}

function parseField(view: DataView, head: Uint8Array, at: number): DbfField {
  const name = head.slice(at, at + 11)
  const nul = name.indexOf(0)
  return {
    nameBytes: nul < 0 ? name : name.subarray(0, nul),
    letter: String.fromCharCode(view.getUint8(at + 11)).toUpperCase(),
    width: view.getUint8(at + 16),
    decimals: view.getUint8(at + 17),
    offset: 0,
  }
}

/** Size of a record with these fields. */
function widthOf(fields: readonly DbfField[]): number {
  return 1 + fields.reduce((sum, field) => sum + field.width, 0)
}

/** Long texts store the high byte of their width in the decimals field (Clipper, FoxPro). */
function widenTexts(fields: DbfField[], recordBytes: number): void {
  const texts = fields.filter((field) => field.letter === 'C')
  const summed = widthOf(fields)
  const extra = texts.reduce((sum, field) => sum + field.decimals * 256, 0)
  if (extra > 0 && summed + extra === recordBytes)
    for (const field of texts) field.width += field.decimals * 256
}

interface Layout {
  headerBytes: number
  recordBytes: number
}

/**
 * Chooses the lengths with which header and rows end at the end of the file, preferring those of the header.
 */
function chooseLayout(declared: Layout, counted: Layout, rows: number, size: number): Layout {
  const headers = [declared.headerBytes, counted.headerBytes, counted.headerBytes + 263]
  const records = [declared.recordBytes, counted.recordBytes].filter(
    (length) => length >= counted.recordBytes,
  )
  const layouts = headers.flatMap((headerBytes) =>
    records.map((recordBytes) => ({ headerBytes, recordBytes })),
  )
  const sound = layouts.filter(
    (layout) => layout.headerBytes >= counted.headerBytes && layout.headerBytes <= size,
  )
  const left = (layout: Layout): number => size - layout.headerBytes - rows * layout.recordBytes
  const exact = rows > 0 ? sound.find((layout) => left(layout) === 0 || left(layout) === 1) : undefined
  const chosen = exact ?? sound[0]
  if (chosen === undefined) throw unreadable(`its header takes ${declared.headerBytes} of ${size} bytes`)
  return chosen
}
