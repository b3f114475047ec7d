import { asciiText } from '../../core/values/decimal.ts'
import { FormatError } from '../format.ts'
import { openFile } from '../open-file.ts'
import type { GdalDriver } from './gdal-drivers.ts'

const pieceBytes = 4096

/**
 * Throws `FormatError` for a truncated text file, which GDAL reads without an error. Checks the closing tag
 * of the root element, or the end mark of a DXF file.
 */
export async function checkEnd(path: string, driver: GdalDriver): Promise<void> {
  if (driver.ending === undefined) return
  const file = await openFile(path, new AbortController().signal)
  try {
    const read = async (position: number): Promise<string> => {
      const target = new Uint8Array(pieceBytes)
      return asciiText(target, 0, await file.read(target, position))
    }
    const head = await read(0)
    const expected = driver.ending === 'xml' ? closingTag(head) : /^\s*0\s*\n\s*EOF\s*$/m
    const tail = await read(Math.max(0, file.size - pieceBytes))
    if (expected !== undefined && !expected.test(tail)) {
      throw new FormatError('The file breaks off: its last lines do not end it', { code: 'truncated-file' })
    }
  } finally {
    await file.close()
  }
}

function closingTag(head: string): RegExp | undefined {
  if (head.includes('\u0000') || /encoding=["']utf-?16/i.test(head)) return undefined
  const root = /<([A-Za-z_][\w.:-]*)/.exec(head.replace(/<!--[\s\S]*?-->/g, ''))?.[1]
  return root === undefined ? undefined : new RegExp(`</${root.replaceAll('.', '\\.')}\\s*>`)
}
