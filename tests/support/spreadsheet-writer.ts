import { writeFileSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** A text, a number in its own digits, a number shown as date (style 1) or time stamp (style 2), a boolean, or nothing. */
export type SheetCell = string | boolean | null | { number: string; style?: 1 | 2 }

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships'
const declaration = '<?xml version="1.0" encoding="UTF-8"?>'

/** Stores entries without compression (APPNOTE 6.3.10). */
function zipOf(entries: Record<string, string | Uint8Array>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content)
    const header = Buffer.alloc(30)
    header.writeUInt32LE(0x04034b50)
    header.writeUInt16LE(20, 4)
    header.writeUInt32LE(crc32(bytes), 14)
    header.writeUInt32LE(bytes.length, 18)
    header.writeUInt32LE(bytes.length, 22)
    header.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50)
    entry.writeUInt16LE(20, 4)
    header.copy(entry, 6, 4, 30)
    entry.writeUInt32LE(offset, 42)
    parts.push(header, Buffer.from(name), bytes)
    directory.push(entry, Buffer.from(name))
    offset += 30 + name.length + bytes.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50)
  end.writeUInt16LE(directory.length / 2, 8)
  end.writeUInt16LE(directory.length / 2, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

function cellXml(cell: SheetCell, place: string): string {
  if (cell === null) return ''
  if (typeof cell === 'string') return `<c r="${place}" t="inlineStr"><is><t>${cell}</t></is></c>`
  if (typeof cell === 'boolean') return `<c r="${place}" t="b"><v>${cell ? 1 : 0}</v></c>`
  return `<c r="${place}" s="${cell.style ?? 0}"><v>${cell.number}</v></c>`
}

function sheetXml(rows: SheetCell[][]): string {
  const lines = rows.map((row, line) => {
    const cells = row.map((cell, column) => cellXml(cell, `${String.fromCharCode(65 + column)}${line + 1}`))
    return `<row r="${line + 1}">${cells.join('')}</row>`
  })
  return `${declaration}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData></worksheet>`
}

/** An Office Open XML workbook (ECMA-376) of the given sheets. */
export function writeXlsx(path: string, sheets: Record<string, SheetCell[][]>): void {
  const names = Object.keys(sheets)
  const content = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  const overrides = names.map(
    (_, index) =>
      `<Override PartName="/xl/worksheets/sheet${index}.xml" ContentType="${content}.worksheet+xml"/>`,
  )
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"/>`)
  const links = names.map(
    (_, index) =>
      `<Relationship Id="s${index}" Type="${relations}/worksheet" Target="worksheets/sheet${index}.xml"/>`,
  )
  const styles = '<xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/>'
  writeFileSync(
    path,
    zipOf({
      '[Content_Types].xml': `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${content}.styles+xml"/>${overrides.join('')}</Types>`,
      '_rels/.rels': `${declaration}<Relationships xmlns="${packageRelations}"><Relationship Id="r" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${list.join('')}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `${declaration}<Relationships xmlns="${packageRelations}">${links.join('')}<Relationship Id="y" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
      'xl/styles.xml': `${declaration}<styleSheet xmlns="${main}"><cellXfs count="3">${styles}</cellXfs></styleSheet>`,
      ...Object.fromEntries(
        Object.values(sheets).map((rows, index) => [`xl/worksheets/sheet${index}.xml`, sheetXml(rows)]),
      ),
    }),
  )
}
